//! Pages to read: from other code to this crate, rotating secrets, running behind proxies, where it runs.

#[doc = include_str!("coming_from.md")]
pub mod coming_from {}

#[doc = include_str!("proxies.md")]
pub mod proxies {}

#[doc = include_str!("rotation.md")]
pub mod rotation {}

#[doc = include_str!("platforms.md")]
pub mod platforms {}
