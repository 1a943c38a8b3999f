//! How much of the processor a call has used. The clock on the wall is no measure of that: on a loaded machine a healthy plugin may wait for
//! seconds until it is its turn.

use nix::time::{ClockId, clock_gettime};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

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
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or_else(|_| BEGAN.elapsed(), Duration::from);
    time.as_micros() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::{Context, Poll, Waker};

    #[test]
    fn what_is_waited_for_is_not_used_and_what_is_worked_is() {
        let meter = Meter::default();
        meter.begin();
        std::thread::sleep(Duration::from_millis(300));
        assert!(meter.used() < Duration::from_millis(150));
        let began = Instant::now();
        work(Duration::from_millis(200));
        assert!(meter.used() >= Duration::from_millis(200));
        assert!(began.elapsed() >= Duration::from_millis(190), "no faster than the clock on the wall");
    }

    #[test]
    fn a_call_that_goes_from_thread_to_thread_is_measured_on_each() {
        let meter = Meter::default();
        meter.begin();
        let mut slices = 0;
        let call = poll_fn(|_| {
            work(Duration::from_millis(40));
            slices += 1;
            if slices < 4 { Poll::Pending } else { Poll::Ready(()) }
        });
        let mut call = Box::pin(meter.measured(call));
        for _ in 0..4 {
            // Each thread's own clock is ahead of that of the one before.
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    work(Duration::from_millis(100));
                    let _ = call.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                });
            });
        }
        drop(call);
        let used = meter.used_us.load(Ordering::Relaxed);
        assert!((160_000..240_000).contains(&used), "{used} microseconds");
    }

    /// Uses so much of the processor.
    fn work(time: Duration) {
        let until = thread_us() + time.as_micros() as u64;
        while thread_us() < until {
            std::hint::black_box((0..1_000).sum::<u64>());
        }
    }
}
