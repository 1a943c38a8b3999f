//! A plugin at work: one store, one instance, one resource `session`.
//!
//! A call runs in slices of `call_slice_ms`; between two slices others on the same thread get their turn, and once it has used
//! `call_cpu_ms` of the processor it is ended. **After any error but a refused batch the session is dead**: its memory may be half changed.
//! The same holds when a call's future is dropped midway.

use crate::bindings::exports::jackfield::provider::adapter;
use crate::bindings::{Provider, jackfield::provider as imported};
use crate::convert_base::Convert;
use crate::engine::{Inner, tick};
use crate::error::CallError;
use crate::limiter::{Denial, Limiter};
use crate::log::{Log, clean};
use crate::meter::Meter;
use jackfield_core::contract::{Caused, Fault, FaultKind, FrameData, Input, Level, Tick};
use jackfield_core::limits::Limits;
use std::sync::Arc;
use std::time::Duration;
use wasmtime::component::ResourceAny;
use wasmtime::{Store, Trap, UpdateDeadline, WasmBacktrace};

/// What the store holds beside the guest.
pub(crate) struct Host {
    limiter: Limiter,
    log: Log,
    meter: Arc<Meter>,
}

/// What happens at the end of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slicing {
    /// Others on the thread get their turn.
    Yield,
    /// It goes on at once; for calls outside an event loop.
    Block,
}

/// A plugin at work. Fed by one owner, batch by batch.
pub struct Session {
    generation: Arc<Inner>,
    store: Store<Host>,
    provider: Provider,
    resource: ResourceAny,
    dead: bool,
}

/// The call used up its time.
#[derive(Debug, thiserror::Error)]
#[error("the call used up its time")]
struct OutOfTime;

impl imported::diag::Host for Host {
    fn log(&mut self, level: imported::types::Level, text: String) {
        let level: Level = level.convert();
        self.log.push(level, &text);
    }
}

/// A store under limits.
pub(crate) fn open_store(engine: &wasmtime::Engine, limits: &Limits, slicing: Slicing) -> Store<Host> {
    let host = Host { limiter: Limiter::new(limits), log: Log::new(limits), meter: Arc::default() };
    let (ticks, most) = (slice_ticks(limits), Duration::from_millis(limits.call_cpu_ms));
    let mut store = Store::new(engine, host);
    store.limiter(|host| &mut host.limiter);
    store.set_hostcall_fuel(limits.call_output_bytes as usize);
    store.epoch_deadline_callback(move |mut context| match slicing {
        _ if context.data_mut().meter.used() >= most => Err(OutOfTime.into()),
        Slicing::Yield => Ok(UpdateDeadline::Yield(ticks)),
        Slicing::Block => Ok(UpdateDeadline::Continue(ticks)),
    });
    begin_call(&mut store, limits);
    store
}

fn slice_ticks(limits: &Limits) -> u64 {
    (limits.call_slice_ms / tick(limits).as_millis() as u64).max(1)
}

/// Gives the guest the time of one call. What an earlier call was refused and survived is no reason of a later crash.
fn begin_call(store: &mut Store<Host>, limits: &Limits) {
    let host = store.data_mut();
    host.meter.begin();
    host.limiter.take_denial();
    host.log.take_panic();
    store.set_epoch_deadline(slice_ticks(limits));
}

impl Session {
    pub(crate) async fn open(generation: Arc<Inner>) -> Result<Self, CallError> {
        let mut store = open_store(generation.pre.engine(), &generation.limits, Slicing::Yield);
        let meter = store.data().meter.clone();
        let made = meter.measured(async {
            let provider = generation.pre.instantiate_async(&mut store).await?;
            let resource = provider.jackfield_provider_adapter().session().call_constructor(&mut store).await?;
            wasmtime::Result::Ok((provider, resource))
        });
        match made.await {
            Ok((provider, resource)) => Ok(Session { generation, store, provider, resource, dead: false }),
            Err(error) => Err(classify(&generation.name, &mut store, error)),
        }
    }

    /// Feeds a batch and gives all that follows from it, in order.
    pub async fn handle(&mut self, at: Tick, inputs: Vec<Input>) -> Result<Vec<Caused>, CallError> {
        if self.dead {
            return Err(CallError::Dead { plugin: self.generation.name.clone() });
        }
        self.check_batch(&inputs)?;
        let count = inputs.len();
        let inputs: Vec<adapter::Input> = inputs.into_iter().map(Convert::convert).collect();
        self.dead = true;
        begin_call(&mut self.store, &self.generation.limits);
        let guest = self.provider.jackfield_provider_adapter().session();
        let meter = self.store.data().meter.clone();
        let answer = meter.measured(guest.call_handle(&mut self.store, self.resource, at.convert(), &inputs)).await;
        let outputs = match answer {
            Err(error) => return Err(classify(&self.generation.name, &mut self.store, error)),
            Ok(Err(fault)) => return Err(self.fault(fault.convert())),
            Ok(Ok(outputs)) => outputs,
        };
        self.check_outputs(&outputs, count)?;
        self.dead = false;
        Ok(outputs.into_iter().map(Convert::convert).collect())
    }

    /// What the plugin said through `diag` since the last time; also after its end.
    pub fn take_log(&mut self) -> Vec<(Level, String)> {
        self.store.data_mut().log.take()
    }

    /// True when no further batch will be taken.
    pub fn is_dead(&self) -> bool {
        self.dead
    }

    /// Refuses what the guest could not hold, before it is touched: the session lives on.
    fn check_batch(&self, inputs: &[Input]) -> Result<(), CallError> {
        let limits = &self.generation.limits;
        let sizes = inputs.iter().map(|input| match input {
            Input::Frame(frame) => match &frame.data {
                FrameData::Text(text) => text.len() as u64,
                FrameData::Bytes(bytes) => bytes.len() as u64,
                FrameData::Named((name, text)) => (name.len() + text.len()) as u64,
                FrameData::Other(other) => other.json.len() as u64,
            },
            _ => 0,
        });
        let (mut largest, mut sum) = (0, 0u64);
        for size in sizes {
            largest = size.max(largest);
            sum += size;
        }
        if largest > limits.frame_bytes {
            let detail = format!(
                "a frame of {largest} bytes; at most {} are handed over. The frame is left out",
                limits.frame_bytes
            );
            return Err(self.limit("frame_bytes", detail));
        }
        if sum > limits.batch_bytes {
            let detail =
                format!("a batch of {sum} bytes; at most {} are handed over at once. Split it", limits.batch_bytes);
            return Err(self.limit("batch_bytes", detail));
        }
        Ok(())
    }

    fn check_outputs(&self, outputs: &[adapter::Caused], inputs: usize) -> Result<(), CallError> {
        let most = self.generation.limits.call_outputs;
        if outputs.len() as u64 > most {
            let detail = format!(
                "{} outputs of one call; at most {most} are taken. Answer large inputs in parts",
                outputs.len()
            );
            return Err(self.limit("call_outputs", detail));
        }
        match outputs.iter().find(|output| output.cause as usize >= inputs) {
            None => Ok(()),
            Some(output) => Err(self.fault(Fault {
                kind: FaultKind::Protocol,
                message: format!("an output names input {} as its cause, of a batch of {inputs}", output.cause),
                code: Some("cause-out-of-range".to_owned()),
                retryable: false,
                retry_after_ms: None,
                extra: Vec::new(),
            })),
        }
    }

    fn limit(&self, limit: &'static str, detail: String) -> CallError {
        CallError::Limit { limit, plugin: self.generation.name.clone(), detail }
    }

    fn fault(&self, mut fault: Fault) -> CallError {
        fault.message = clean(&fault.message, self.generation.limits.label_bytes as usize);
        CallError::Fault { plugin: self.generation.name.clone(), fault }
    }
}

/// Which limit a failed call reached, or that it simply crashed.
pub(crate) fn classify(plugin: &str, store: &mut Store<Host>, error: wasmtime::Error) -> CallError {
    let plugin = plugin.to_owned();
    let host = store.data_mut();
    let (denial, panic) = (host.limiter.take_denial(), host.log.take_panic());
    let limit = |limit, detail: &str| CallError::Limit { limit, plugin: plugin.clone(), detail: detail.to_owned() };
    if error.is::<OutOfTime>() {
        return limit("call_cpu_ms", "the call did not return in its time and was ended");
    }
    if let Some(Denial { limit: name, wanted, allowed }) = denial {
        return limit(name, &format!("it wanted {wanted} in all, {allowed} are allowed"));
    }
    let text = format!("{error:#}");
    // The two errors below are not typed in wasmtime; the tests of hostile plugins notice when their words change.
    if text.contains("fuel allocated for hostcalls") {
        return limit("call_output_bytes", "it handed over more bytes than are taken in one call");
    }
    if text.contains("resource limit exceeded") {
        return limit("guest_instances", "it consists of more instances, tables or memories than are allowed");
    }
    let trap = error.downcast_ref::<Trap>().copied();
    if trap == Some(Trap::StackOverflow) {
        return limit("guest_stack_bytes", "its calls are nested too deeply");
    }
    let message = panic.unwrap_or_else(|| {
        let what = trap.map_or_else(|| error.root_cause().to_string(), |trap| trap.to_string());
        let frames = error.downcast_ref::<WasmBacktrace>().map(WasmBacktrace::frames).unwrap_or_default();
        match frames.iter().find_map(|frame| frame.func_name()) {
            Some(function) => format!("{what}, in {function}"),
            None => what,
        }
    });
    CallError::Trap { plugin: plugin.clone(), message: clean(&message, 4096) }
}
