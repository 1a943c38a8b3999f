//! The move that `convert` is made of: one value's type for its twin on the other side.

/// Turns a value into its twin; containers by their elements.
pub(crate) trait Convert<T>: Sized {
    fn convert(self) -> T;

    /// Turns a list; a list whose elements are the same on both sides is handed over as it is.
    fn convert_all(list: Vec<Self>) -> Vec<T> {
        list.into_iter().map(Self::convert).collect()
    }
}

macro_rules! same {
    ($($t:ty),+) => { $(
        impl Convert<$t> for $t {
            fn convert(self) -> $t { self }
            fn convert_all(list: Vec<$t>) -> Vec<$t> { list }
        }
    )+ };
}

same!(bool, u8, u32, i32, f64, String, (String, String), (String, f64), ());

impl<T: Convert<U>, U> Convert<Vec<U>> for Vec<T> {
    fn convert(self) -> Vec<U> {
        T::convert_all(self)
    }
}

impl<T: Convert<U>, U> Convert<Option<U>> for Option<T> {
    fn convert(self) -> Option<U> {
        self.map(T::convert)
    }
}

impl<T: Convert<U>, U, E: Convert<F>, F> Convert<Result<U, F>> for Result<T, E> {
    fn convert(self) -> Result<U, F> {
        self.map(T::convert).map_err(E::convert)
    }
}
