//! The compiler and its clock: from checked bytes to a generation that sessions are made of.
//!
//! What each setting is for: concurrency support off makes a call a third as dear; epochs interrupt a guest that does not
//! return, at a tenth of its speed where fuel costs a third; memory images are mapped copy-on-write, so that a session is
//! made in microseconds; floats are canonical and proposals that no plugin needs are off, so that a replay on another
//! machine computes the same. Tail calls are on: interpreters of other languages are compiled with them.

use crate::bindings::{ProviderIndices, ProviderPre, jackfield::provider::diag};
use crate::check::{self, Inspection, Lane};
use crate::compiled::{CompiledFolder, Origin};
use crate::convert_base::Convert;
use crate::error::{CallError, LoadError};
use crate::log::clean;
use crate::session::{Host, Session, Slicing, open_store};
use jackfield_core::contract::Descriptor;
use jackfield_core::limits::Limits;
use jackfield_core::manifest::Manifest;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use wasmtime::component::{Component, HasSelf, Linker};
use wasmtime::{Config, WasmFeatures};

/// Room on a call's stack for the host's own functions, beyond the guest's.
const HOST_STACK_BYTES: usize = 1024 * 1024;

/// The compiler of a process. Cheap to clone; its clock runs while a clone, a generation or a session exists.
#[derive(Clone)]
pub struct Engine {
    wasmtime: wasmtime::Engine,
    linker: Arc<Linker<Host>>,
    clock: Arc<Clock>,
    limits: Arc<Limits>,
    compiled: Option<Arc<CompiledFolder>>,
}

/// One build of a plugin, known by the SHA-256 of its bytes, ready to make sessions.
#[derive(Clone)]
pub struct Generation {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) name: String,
    pub(crate) pre: ProviderPre<Host>,
    /// Kept ticking while a session may need it.
    _clock: Arc<Clock>,
    pub(crate) limits: Arc<Limits>,
    inspection: Inspection,
    descriptor: Descriptor,
    origin: Origin,
}

impl Engine {
    /// Sets up the compiler and starts the clock.
    pub fn new(limits: Arc<Limits>) -> Result<Self, LoadError> {
        let detail = |e: wasmtime::Error| LoadError::Engine { detail: format!("{e:#}") };
        limits.check().map_err(|detail| LoadError::Engine { detail })?;
        let wasmtime = wasmtime::Engine::new(&config(&limits)).map_err(detail)?;
        let mut linker = Linker::new(&wasmtime);
        diag::add_to_linker::<Host, HasSelf<Host>>(&mut linker, |host| host).map_err(detail)?;
        let clock = Clock::start(&wasmtime, &limits)
            .map_err(|e| LoadError::Engine { detail: format!("no thread for its clock: {e}") })?;
        Ok(Engine { wasmtime, linker: Arc::new(linker), clock, limits, compiled: None })
    }

    /// Keeps what is compiled in this folder, and takes from there what was compiled before.
    pub fn keeping(self, folder: CompiledFolder) -> Self {
        Engine { compiled: Some(Arc::new(folder)), ..self }
    }

    /// Checks, compiles and asks a plugin who it is. Takes a tenth of a second and more: not for a thread that serves others.
    pub fn load(&self, bytes: &[u8]) -> Result<Generation, LoadError> {
        let inspection = check::check(bytes, &self.limits)?;
        let name = inspection.manifest.full_name();
        let detail = |e: wasmtime::Error| clean(&format!("{e:#}"), self.limits.label_bytes as usize);
        let compile = || Component::new(&self.wasmtime, bytes);
        let (component, origin) = match &self.compiled {
            Some(folder) => folder.component(&self.wasmtime, &inspection.digest, compile),
            None => compile().map(|component| (component, Origin::Compiled)),
        }
        .map_err(|e| LoadError::Compile { plugin: name.clone(), detail: detail(e) })?;
        let types =
            |e: wasmtime::Error| LoadError::Types { contract: inspection.contract.to_string(), detail: detail(e) };
        let pre = self.linker.instantiate_pre(&component).and_then(ProviderPre::new).map_err(types)?;
        let (clock, limits) = (self.clock.clone(), self.limits.clone());
        check_types(&name, &pre, &limits).map_err(|error| match error {
            Ok(error) => LoadError::Describe { plugin: name.clone(), error: Box::new(error) },
            Err(error) => types(error),
        })?;
        let descriptor = describe(&name, &pre, &limits)?;
        Ok(Generation { inner: Arc::new(Inner { name, pre, _clock: clock, limits, inspection, descriptor, origin }) })
    }
}

impl Generation {
    /// Its manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.inner.inspection.manifest
    }

    /// SHA-256 of its bytes, in hexadecimal digits.
    pub fn digest(&self) -> &str {
        &self.inner.inspection.digest
    }

    /// What it says about itself.
    pub fn descriptor(&self) -> &Descriptor {
        &self.inner.descriptor
    }

    /// Where its machine code came from.
    pub fn origin(&self) -> &Origin {
        &self.inner.origin
    }

    /// What it imports.
    pub fn imports(&self) -> &[String] {
        &self.inner.inspection.imports
    }

    /// What it has beneath it.
    pub fn lane(&self) -> Lane {
        self.inner.inspection.lane
    }

    /// Number of its bytes.
    pub fn size(&self) -> u64 {
        self.inner.inspection.size
    }

    /// Makes a session: an instance of its own, with its own memory and limits.
    pub async fn session(&self) -> Result<Session, CallError> {
        Session::open(self.inner.clone()).await
    }
}

fn config(limits: &Limits) -> Config {
    let stack = limits.guest_stack_bytes as usize;
    let mut config = Config::new();
    config
        .concurrency_support(false)
        .epoch_interruption(true)
        .memory_init_cow(true)
        .max_wasm_stack(stack)
        .async_stack_size(stack + HOST_STACK_BYTES)
        .cranelift_nan_canonicalization(true)
        .wasm_features(WasmFeatures::MEMORY64 | WasmFeatures::RELAXED_SIMD, false);
    config
}

/// Compares the types of what the plugin exports with the contract's: wasmtime does so only in an instance. The error is
/// the plugin's own crash while it was made, or else the difference.
fn check_types(name: &str, pre: &ProviderPre<Host>, limits: &Limits) -> Result<(), Result<CallError, wasmtime::Error>> {
    let mut store = open_store(pre.engine(), limits, Slicing::Block);
    let instance = now(pre.instance_pre().instantiate_async(&mut store))
        .map_err(|error| Ok(crate::session::classify(name, &mut store, error)))?;
    let indices = ProviderIndices::new(pre.instance_pre()).map_err(Err)?;
    indices.load(&mut store, &instance).map(drop).map_err(Err)
}

/// Asks a plugin twice, in two fresh instances: who answers differently cannot be replayed.
fn describe(name: &str, pre: &ProviderPre<Host>, limits: &Arc<Limits>) -> Result<Descriptor, LoadError> {
    let wrong = |detail: String| LoadError::Descriptor { plugin: name.to_owned(), detail };
    let once = || {
        ask(name, pre, limits).map_err(|error| LoadError::Describe { plugin: name.to_owned(), error: Box::new(error) })
    };
    let descriptor = once()?;
    if once()? != descriptor {
        return Err(wrong("two calls of describe gave different answers; it must be a function of nothing".to_owned()));
    }
    let provider = &descriptor.provider;
    let slug = provider.len() <= 64
        && provider.starts_with(|c: char| c.is_ascii_lowercase())
        && provider.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    if !slug {
        return Err(wrong(format!(
            "provider = {:?}; it must be [a-z][a-z0-9-]*, at most 64 characters",
            clean(provider, 80)
        )));
    }
    Ok(descriptor)
}

fn ask(name: &str, pre: &ProviderPre<Host>, limits: &Arc<Limits>) -> Result<Descriptor, CallError> {
    let mut store = open_store(pre.engine(), limits, Slicing::Block);
    let call = async {
        let provider = pre.instantiate_async(&mut store).await?;
        provider.jackfield_provider_adapter().call_describe(&mut store).await
    };
    let answer = now(call);
    answer.map(Convert::convert).map_err(|error| crate::session::classify(name, &mut store, error))
}

/// Runs a future that never waits: a guest that is not told to yield.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("Slicing::Block never yields, and nothing else in this future waits"),
    }
}

/// A thread that advances the epoch of the engine, by which guests learn that their slice is over.
pub(crate) struct Clock {
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// The time between two ticks.
pub(crate) fn tick(limits: &Limits) -> Duration {
    Duration::from_millis((limits.call_slice_ms / 2).clamp(1, 5))
}

impl Clock {
    fn start(engine: &wasmtime::Engine, limits: &Limits) -> std::io::Result<Arc<Self>> {
        let stop = Arc::new(AtomicBool::new(false));
        let (engine, stopped, tick) = (engine.clone(), stop.clone(), tick(limits));
        let thread = std::thread::Builder::new().name("jackfield-clock".to_owned()).spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                std::thread::park_timeout(tick);
                engine.increment_epoch();
            }
        })?;
        Ok(Arc::new(Clock { stop, thread: Some(thread) }))
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}
