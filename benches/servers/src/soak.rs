use crate::Error;
use axum::Router;
pub(crate) fn run(_: f64, _: u32) -> Result<(), Error> {
    Ok(())
}
pub(crate) fn application() -> Result<Router, Error> {
    Ok(Router::new())
}
