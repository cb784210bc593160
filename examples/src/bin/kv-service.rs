//! Keys with a value and a term, over HTTP: `kv_service.rs` says what there is, this starts and stops it.
//!
//! Teaches: kvrepo under a web framework (axum), its errors as HTTP's, a term from a request, pages by cursor, expirations
//! as server-sent events, and ending cleanly while somebody listens.
//!
//! Runs on the memory backend: `cargo run -p kvrepo-examples --bin kv-service`.
//! On a server: `KVREPO_URL=redis://127.0.0.1:6379 cargo run -p kvrepo-examples --bin kv-service`.
//! It listens on `KVREPO_LISTEN`, 127.0.0.1:8080 unless set, until Ctrl-C or `SIGTERM`.

use std::env;
use std::error::Error;
use std::io;
use std::process::ExitCode;

use kvrepo::Store;
use kvrepo_examples::kv_service;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kv-service: {}", kv_service::with_causes(&*error));
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let store = match env::var("KVREPO_URL") {
        Ok(url) => Store::connect(&url).await?,
        Err(_) => Store::in_memory(),
    };
    let address = env::var("KVREPO_LISTEN").unwrap_or_else(|_| "127.0.0.1:8080".into());
    let listener = TcpListener::bind(&address)
        .await
        .map_err(|error| format!("cannot listen on {address}: {error}"))?;
    // Heard from here on, so that whoever reads the next line can stop it.
    let stop = stop_signal()?;
    println!("listening on http://{}", listener.local_addr()?);
    kv_service::serve(listener, &store, stop).await?;
    Ok(())
}

#[cfg(unix)]
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(windows)]
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        interrupt.recv().await;
    })
}
