//! One more thread for the statements that a table function runs.
//!
//! DuckDB may call a table function on one of its worker threads. The client's own thread then waits for it,
//! and takes only tasks of its own statement: with two threads, half of the machine would stand still. A thread
//! that takes tasks from DuckDB's scheduler, as its C API provides for, stands in for the one that waits. Without it,
//! DuckDB 1.5 takes a fifth to two thirds longer (bench/figures.md).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::Builder;
use std::time::Duration;

use libduckdb_sys as sys;

use super::session::Host;

/// How long the end of the thread is waited for. It may have taken a task of somebody else's long statement;
/// it then ends with that task, and the database, which its connection keeps, is open that long anyway.
const PATIENCE: Duration = Duration::from_millis(100);

/// A running thread, which ends when this is dropped.
pub struct HelpingThread {
    is_done: Arc<AtomicBool>,
    end: Receiver<()>,
}

impl HelpingThread {
    /// Starts it. `None` where there is no connection or no thread to be had: nothing depends on it.
    pub fn start(host: Host) -> Option<Self> {
        let session = host.connect().ok()?;
        let is_done = Arc::new(AtomicBool::new(false));
        let (end_sender, end) = channel();
        let seen_done = Arc::clone(&is_done);
        let help = move || {
            while !seen_done.load(Ordering::Acquire) {
                // SAFETY: the session's connection keeps the instance alive. The call runs at most one task,
                // waits 5 ms for it, and lets no exception out.
                host.lend(|stand_in| unsafe { sys::duckdb_execute_tasks(stand_in, 1) });
            }
            drop(session);
            drop(end_sender);
        };
        Builder::new().name("colstats".into()).spawn(help).ok()?;
        Some(HelpingThread { is_done, end })
    }
}

impl Drop for HelpingThread {
    fn drop(&mut self) {
        self.is_done.store(true, Ordering::Release);
        // The sender sends nothing; it is dropped when the connection is closed.
        let _ = self.end.recv_timeout(PATIENCE);
    }
}
