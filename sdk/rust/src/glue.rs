//! Ties a [`Provider`] to the component's exports, and its panics to the host's log. Authors never see it: [`crate::plugin!`] names it.

use std::cell::RefCell;
use std::marker::PhantomData;

use crate::bindings::exports::jackfield::provider::adapter::{Guest, GuestSession};
use crate::driver::Driver;
use crate::prelude::*;

/// The exports of a plugin.
pub struct Exports<P>(PhantomData<P>);

/// The exported resource.
pub struct Session<P>(RefCell<Driver<P>>);

impl<P: Provider> Guest for Exports<P> {
    type Session = Session<P>;

    fn describe() -> Descriptor {
        speak_last_words();
        P::describe()
    }
}

impl<P: Provider> GuestSession for Session<P> {
    fn new() -> Self {
        speak_last_words();
        Session(RefCell::new(Driver::default()))
    }

    fn handle(&self, at: Tick, inputs: Vec<Input>) -> Result<Vec<Caused>, Fault> {
        self.0.borrow_mut().handle(at, inputs)
    }
}

/// Writes a line to the host's log. For last words: what it says is lost to replay. On other targets it goes to stderr.
pub fn log(level: Level, text: &str) {
    #[cfg(target_arch = "wasm32")]
    crate::bindings::jackfield::provider::diag::log(level, text);
    #[cfg(not(target_arch = "wasm32"))]
    eprintln!("{level:?}: {text}");
}

/// A panic becomes a trap, and a trap has no text: the text goes ahead of it.
fn speak_last_words() {
    #[cfg(target_arch = "wasm32")]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            std::panic::set_hook(Box::new(|panic| {
                let what = panic.payload_as_str().unwrap_or("no message");
                let place =
                    panic.location().map(|place| format!(" at {}:{}", place.file(), place.line())).unwrap_or_default();
                log(Level::Error, &format!("panic: {what}{place}"));
            }));
        });
    }
}
