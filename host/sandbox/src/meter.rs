//! How much of the processor a call has used. The clock on the wall is no measure of that: on a loaded machine a healthy plugin may wait for
//! seconds until it is its turn.

use nix::time::{ClockId, clock_gettime};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The meter of one store's calls. A call may go from thread to thread between two slices, never within one.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    used_us: AtomicU64,
    /// What the thread's own clock said when it was read last.
    since_us: AtomicU64,
}

impl Meter {
    /// A call begins, on this thread.
    pub(crate) fn begin(&self) {
        self.used_us.store(0, Ordering::Relaxed);
        self.goes_on();
    }

    /// What the call has used by now; asked for within it.
    pub(crate) fn used(&self) -> Duration {
        let now = thread_us();
        let more = now.saturating_sub(self.since_us.swap(now, Ordering::Relaxed));
        Duration::from_micros(self.used_us.fetch_add(more, Ordering::Relaxed) + more)
    }

    /// Runs a call to its end, slice by slice, on whatever threads it is given.
    pub(crate) async fn measured<T>(&self, call: impl Future<Output = T>) -> T {
        let mut call = pin!(call);
        poll_fn(|context| {
            self.goes_on();
            let polled = call.as_mut().poll(context);
            self.used();
            polled
        })
        .await
    }

    /// From here on this thread's clock counts.
    fn goes_on(&self) {
        self.since_us.store(thread_us(), Ordering::Relaxed);
    }
}

/// The processor time of this thread, in microseconds. Linux has that clock always; where it did not, the one on the wall would have to do.
fn thread_us() -> u64 {
    let clock = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).or_else(|_| clock_gettime(ClockId::CLOCK_MONOTONIC));
    clock.map_or(0, |time| Duration::from(time).as_micros() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn what_is_waited_for_is_not_used_and_what_is_worked_is() {
        let meter = Meter::default();
        meter.begin();
        std::thread::sleep(Duration::from_millis(300));
        assert!(meter.used() < Duration::from_millis(150));
        let began = Instant::now();
        while meter.used() < Duration::from_millis(200) {
            std::hint::black_box((0..1_000).sum::<u64>());
        }
        assert!(began.elapsed() >= Duration::from_millis(190), "no faster than the clock on the wall");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_call_that_moves_from_thread_to_thread_is_measured_on_each() {
        let meter = std::sync::Arc::new(Meter::default());
        meter.begin();
        let inside = meter.clone();
        let call = async move {
            for _ in 0..8 {
                let before = inside.used();
                while inside.used() < before + Duration::from_millis(20) {
                    std::hint::black_box((0..1_000).sum::<u64>());
                }
                tokio::time::sleep(Duration::from_millis(30)).await;
            }
        };
        meter.measured(call).await;
        let used = meter.used_us.load(Ordering::Relaxed);
        assert!((160_000..240_000).contains(&used), "{used} microseconds");
    }
}
