//! The manifest's `[data]`: facts by which one module serves several providers.
//!
//! A plugin has no file to read and `describe` is asked before anything is said to it, so the packer writes the data into the module's
//! memory, as one more data segment at [`PLACE`]. **It is as fixed as the code: part of the digest, the same in every call.**
//! Natively, a test gives it with [`testing::with_data`](crate::testing::with_data). Tests: there, and `sdk/pack/tests/pack.rs`.

use serde::de::DeserializeOwned;

/// How many bytes the data may have as JSON; the packer refuses more.
pub const CAPACITY: usize = 16 * 1024;

/// The place, by whose exported name the packer finds it: the length (little-endian), then the JSON.
#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub static JACKFIELD_DATA_16384: Place = Place(core::cell::UnsafeCell::new([0; 4 + CAPACITY]));

/// Bytes that nothing in the module writes, and that the compiler must not take for nought all the same.
#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
#[derive(Debug)]
#[repr(transparent)]
pub struct Place(core::cell::UnsafeCell<[u8; 4 + CAPACITY]>);

#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code)]
// SAFETY: no one writes to it once the module runs, and a component has one thread.
unsafe impl Sync for Place {}

/// The data as JSON; empty when the manifest has none.
#[cfg(target_arch = "wasm32")]
#[allow(unsafe_code)]
pub fn text() -> String {
    let place = JACKFIELD_DATA_16384.0.get().cast::<u8>();
    // SAFETY: the place has 4 + CAPACITY bytes; a length beyond that is cut.
    let bytes = |from: usize, length: usize| -> Vec<u8> {
        (from..from + length).map(|at| unsafe { place.add(at).read_volatile() }).collect()
    };
    let length = bytes(0, 4).iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
    String::from_utf8(bytes(4, length.min(CAPACITY))).unwrap_or_default()
}

/// The data as JSON; empty when a test gave none.
#[cfg(not(target_arch = "wasm32"))]
pub fn text() -> String {
    GIVEN.with_borrow(Clone::clone)
}

#[cfg(not(target_arch = "wasm32"))]
thread_local! {
    pub(crate) static GIVEN: std::cell::RefCell<String> = const { std::cell::RefCell::new(String::new()) };
}

/// The data, parsed; the default when there is none, or an error's text when it does not fit.
pub fn read<T: DeserializeOwned + Default>() -> Result<T, String> {
    match text().as_str() {
        "" => Ok(T::default()),
        text => serde_json::from_str(text).map_err(|error| format!("the manifest's [data] cannot be read: {error}")),
    }
}
