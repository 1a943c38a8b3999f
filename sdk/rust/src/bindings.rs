//! What wit-bindgen makes of `wit/`. Nobody writes against it: the prelude names its types, the glue implements its exports.
//!
//! The only place with `unsafe`: lifting and lowering values across the component's boundary.

wit_bindgen::generate!({
    path: "../../wit",
    world: "provider",
    additional_derives: [PartialEq, Clone],
    pub_export_macro: true,
    export_macro_name: "export_component",
    generate_all,
});
