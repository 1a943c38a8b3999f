//! What a provider keeps of its conversations in files of its own: folders, threads and transcripts, for the commands of the role query.
//!
//! The SDK walks, reads and pages; a plugin says where the files are and what a row means ([`Archive`], [`Rows`]). The way of a page:
//! `world` (effects as awaited calls) → `lines` (a file's lines from its end) → `page` (as many rows as the limit takes) → `told` (the
//! rows' items, put together) → events marked `replayed`. Lists are made in `catalog`.
//!
//! - **A list that fails is empty, with a diagnostic; a transcript that fails is a fault.**
//! - **A page never parts a call from its result**, and holds less than the limit rather than that.
//! - **Nothing is read whole**: a list looks at the head and the tail of a file, a page at its end, in pieces; each bound is a constant
//!   beside its use, and what was left out because of one is a diagnostic.
//!
//! There is no thread and no clock in this: a question is a future that is polled when an effect is answered.
//! Tests: in each file, `tests/past.rs` of this crate, and those of the plugins.

mod archive;
mod catalog;
mod lines;
mod page;
mod questions;
mod told;
mod world;

pub use archive::{Archive, Back, Facts, Place, Row, Rows, Side};
pub use catalog::{Found, THREADS};
pub use page::ITEMS;
pub use questions::Questions;
pub use told::Told;
pub(crate) use told::again;
pub use world::World;
