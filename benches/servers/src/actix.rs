//! The actix-web server: the same handler with and without verification, on one worker.

use actix_web::web::{Bytes, PayloadConfig, ReqData, post, resource};
use actix_web::{App, HttpResponse, HttpServer};
use hookproof::actix4::VerifyMiddleware;
use hookproof::{VerifiedBuf, providers};

use crate::{Error, child, serve};

pub(crate) fn run() -> Result<(), Error> {
    let github = serve::endpoint(&providers::GITHUB)?;
    actix_web::rt::System::new().block_on(async {
        let server = HttpServer::new(move || {
            App::new()
                .app_data(github.clone())
                .app_data(PayloadConfig::new(1 << 20))
                .route("/github/bytes", post().to(bytes))
                .route("/github/extractor", post().to(extractor))
                .service(
                    resource("/github/layer")
                        .wrap(VerifyMiddleware::new(github.clone()))
                        .route(post().to(middleware)),
                )
        });
        let server = server.workers(1).bind("127.0.0.1:0")?;
        let address = server.addrs().first().copied().ok_or("no address")?;
        child::report(address)?;
        Ok(server.run().await?)
    })
}

async fn bytes(body: Bytes) -> HttpResponse {
    answer(body.len())
}

async fn extractor(delivery: VerifiedBuf) -> HttpResponse {
    answer(delivery.body().len())
}

async fn middleware(delivery: ReqData<VerifiedBuf>) -> HttpResponse {
    answer(delivery.body().len())
}

fn answer(length: usize) -> HttpResponse {
    if length > 0 { HttpResponse::Ok().finish() } else { HttpResponse::BadRequest().finish() }
}
