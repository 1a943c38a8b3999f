//! What the tests of the whole are made of: a mock model server, a stage for the real CLIs, and a workshop for plugins.

pub mod guest;
pub mod mock;
pub mod real;
