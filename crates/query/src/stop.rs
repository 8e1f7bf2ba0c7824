//! The end of a query on request.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Waits for Ctrl-C, a request to end, or the end of the terminal. Returns the code to exit with.
pub async fn stopped() -> i32 {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let end = |kind| async move {
            match signal(kind) {
                Ok(mut end) => end.recv().await,
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = end(SignalKind::interrupt()) => 130,
            _ = end(SignalKind::terminate()) => 143,
            _ = end(SignalKind::hangup()) => 129,
        }
    }
    #[cfg(not(unix))]
    match tokio::signal::ctrl_c().await {
        Ok(()) => 130,
        Err(_) => std::future::pending().await,
    }
}

/// How long a query may take to end by itself.
const PATIENCE: Duration = Duration::from_millis(1500);

/// How many queries have ended, or have heard that they should.
static ENDED: AtomicU64 = AtomicU64::new(0);

/// Notes that a query has ended, or ends.
pub(crate) fn ended() {
    ENDED.fetch_add(1, Ordering::Relaxed);
}

/// Ends the process soon after it was asked to, whatever it does. Where all threads of the engine are in the middle
/// of a long computation, as joins of every row with every other are, none of them hears of signals.
pub(crate) fn watch() {
    std::thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().build();
        let Ok(runtime) = runtime else {
            return;
        };
        runtime.block_on(async {
            loop {
                let before = ENDED.load(Ordering::Relaxed);
                let code = stopped().await;
                tokio::time::sleep(PATIENCE).await;
                if ENDED.load(Ordering::Relaxed) == before {
                    gametape::remove_unfinished();
                    std::process::exit(code);
                }
            }
        });
    });
}
