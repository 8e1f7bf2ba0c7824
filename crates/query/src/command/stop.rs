//! The end of a query on request.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use datafusion::execution::disk_manager::DiskManager;
use datafusion::prelude::SessionContext;

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

/// The files with which the engine goes beyond its memory.
static SPILLED: OnceLock<Arc<DiskManager>> = OnceLock::new();

/// Notes where the engine puts its temporary files. A process has one session.
pub(crate) fn note_spills(context: &SessionContext) {
    let _ = SPILLED.set(Arc::clone(&context.runtime_env().disk_manager));
}

/// Removes what a query leaves that is ended before its time.
pub(crate) fn clean() {
    gametape::remove_unfinished();
    let spilled = SPILLED.get().map(|files| files.temp_dir_paths());
    for folder in spilled.into_iter().flatten() {
        // A thread that still works may add a file meanwhile.
        let _ = (0..3).any(|_| fs::remove_dir_all(&folder).is_ok());
    }
}

/// Waits for the tasks of a query that was dropped, so that each removes its own files; not for long, because one may
/// compute. If all threads of the engine do, no timer of it runs, so that this one sleeps itself.
pub(crate) fn settle() {
    let tasks = tokio::runtime::Handle::current().metrics();
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(20));
        if tasks.num_alive_tasks() == 0 {
            break;
        }
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
                    clean();
                    std::process::exit(code);
                }
            }
        });
    });
}
