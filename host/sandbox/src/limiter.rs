//! How much memory one session may have: summed over all of its memories and tables, so that ten small ones count as one big one.
//!
//! A guest that is refused memory mostly dies of `unreachable`, which looks like any panic. **The limiter remembers what it
//! refused**, so that the error can name the limit.

use jackfield_core::limits::Limits;
use wasmtime::ResourceLimiter;

/// What one session has and may have.
#[derive(Debug)]
pub(crate) struct Limiter {
    memory: Budget,
    tables: Budget,
    instances: usize,
    denied: Option<Denial>,
}

/// A refusal of the limiter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Denial {
    /// Name of the limit.
    pub(crate) limit: &'static str,
    /// What the plugin wanted in all.
    pub(crate) wanted: u64,
    /// What it may have.
    pub(crate) allowed: u64,
}

/// Growth that was allowed stays counted even if the system then refuses it: wasmtime also reports failures of growths
/// that it never asked about, so a guest could be given back what it has.
#[derive(Debug)]
struct Budget {
    used: u64,
    allowed: u64,
}

impl Budget {
    fn new(allowed: u64) -> Self {
        Budget { used: 0, allowed }
    }

    fn grow(&mut self, current: usize, desired: usize, limit: &'static str) -> Result<(), Denial> {
        let more = desired.saturating_sub(current) as u64;
        let wanted = self.used.saturating_add(more);
        if wanted > self.allowed {
            return Err(Denial { limit, wanted, allowed: self.allowed });
        }
        self.used = wanted;
        Ok(())
    }
}

impl Limiter {
    pub(crate) fn new(limits: &Limits) -> Self {
        Limiter {
            memory: Budget::new(limits.guest_memory_bytes),
            tables: Budget::new(limits.guest_table_elements),
            instances: limits.guest_instances as usize,
            denied: None,
        }
    }

    /// What was refused since the last time.
    pub(crate) fn take_denial(&mut self) -> Option<Denial> {
        self.denied.take()
    }

    fn verdict(&mut self, grown: Result<(), Denial>) -> wasmtime::Result<bool> {
        match grown {
            Ok(()) => Ok(true),
            Err(denial) => {
                self.denied = Some(denial);
                Ok(false)
            }
        }
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        let grown = self.memory.grow(current, desired, "guest_memory_bytes");
        self.verdict(grown)
    }

    fn table_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        let grown = self.tables.grow(current, desired, "guest_table_elements");
        self.verdict(grown)
    }

    fn instances(&self) -> usize {
        self.instances
    }

    fn tables(&self) -> usize {
        self.instances
    }

    fn memories(&self) -> usize {
        self.instances
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limiter() -> Limiter {
        Limiter::new(&Limits { guest_memory_bytes: 100, ..Limits::default() })
    }

    #[test]
    fn memories_are_summed_and_the_refusal_is_remembered() {
        let mut limiter = limiter();
        assert!(limiter.memory_growing(0, 60, None).unwrap());
        assert!(!limiter.memory_growing(0, 60, None).unwrap());
        assert_eq!(limiter.take_denial(), Some(Denial { limit: "guest_memory_bytes", wanted: 120, allowed: 100 }));
        assert_eq!(limiter.take_denial(), None);
        assert!(limiter.memory_growing(60, 100, None).unwrap());
    }

    #[test]
    fn a_growth_beyond_the_guests_own_maximum_costs_nothing() {
        let mut limiter = limiter();
        assert!(!limiter.memory_growing(0, 60, Some(50)).unwrap());
        assert_eq!(limiter.take_denial(), None);
        assert!(limiter.memory_growing(0, 100, None).unwrap());
    }

    #[test]
    fn a_failed_growth_gives_nothing_back() {
        let mut limiter = limiter();
        assert!(limiter.memory_growing(0, 60, None).unwrap());
        limiter.memory_grow_failed(wasmtime::Error::msg("beyond four gigabytes")).unwrap();
        assert!(!limiter.memory_growing(60, 120, None).unwrap());
    }
}
