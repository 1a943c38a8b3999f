//! What the tests of the whole are made of: a mock model server, a stage for the real CLIs, programs that go wrong, a workshop for plugins, and
//! the program as a user meets it.

pub mod bench;
pub mod door;
pub mod faults;
pub mod flags;
pub mod guest;
pub mod hostile;
pub mod live;
pub mod mock;
pub mod player;
pub mod real;
