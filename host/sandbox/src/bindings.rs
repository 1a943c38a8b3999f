//! What wasmtime makes of `wit/`: the only place where its types of the contract exist.
#![allow(missing_docs, clippy::all)]

wasmtime::component::bindgen!({
    path: "../../wit",
    world: "provider",
    exports: { default: async },
});
