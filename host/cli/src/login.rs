//! `jackfield login`: logs in to a provider, the provider's own way.
//!
//! Where the manifest names a profile for it, that program gets the terminal; else the provider's protocol is asked, by a session that
//! says nothing to the model and is deleted afterwards. **No key passes through here**: a person types it where the provider asks for it.
//! Tests: `tests/tests/login.rs`.

use crate::args::LoginArgs;
use crate::config;
use crate::exit::{Exit, Failure, Outcome};
use crate::look::{self, Ended, LoggedIn, Login};
use crate::run::signals::{Signal, Signals};
use crate::run::{chosen, plugin_of, read_lines};
use crate::{output, setup};
use jackfield_core::contract::{Fault, Offer, Verdict};
use jackfield_core::event::{EventBody, LOGGED_IN, Request, RequestSubject, Resolution, SessionEvent};
use jackfield_core::id::RequestId;
use jackfield_core::manifest::Manifest;
use jackfield_runtime::host::{Host, Plugin};
use jackfield_runtime::instance::Instance;
use jackfield_runtime::program;
use jackfield_runtime::session::AskError;
use jackfield_runtime::thread::Thread;
use std::path::Path;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;

/// Carries the command out. Exit code 0 when somebody is logged in, or nothing says otherwise.
pub async fn run(args: LoginArgs) -> Outcome {
    let settings = config::load()?;
    let host = setup::open_host_with(&settings).await?;
    let choice = config::choose_for_login(&settings, &args)?;
    let (plugin, provider) = plugin_of(&host, &choice, None).await?;
    let instance = choice.instance(&provider)?;
    let manifest = plugin.generation.manifest().clone();
    if manifest.spawn.is_empty() {
        return Err(Failure::usage(format!("{provider} needs no login: it starts no program")));
    }
    let way = match &args.method {
        Some(method) => manifest.login.iter().find(|way| way.method == *method),
        None => manifest.login.first(),
    };
    let method = args.method.as_deref().or(way.map(|way| way.method.as_str()));
    let folder = std::env::current_dir()?;
    let login = match way.and_then(|way| way.profile.as_deref()) {
        Some(profile) => {
            at_terminal(&host, &plugin, &provider, instance.clone(), &folder, profile).await?;
            told_by_program(&manifest, &instance, Duration::from_millis(host.limits().version_ms)).await
        }
        None => match by_protocol(&host, &plugin, instance, &folder, method, &manifest).await? {
            Some(login) => login,
            None => return Ok(Exit::Interrupted),
        },
    };
    let exit = if login.logged_in == LoggedIn::No { Exit::Failed } else { Exit::Completed };
    Ended { provider: &provider, method, login }.say(args.json.json)?;
    Ok(exit)
}

/// The provider's own command, at our terminal.
async fn at_terminal(
    host: &Host,
    plugin: &Plugin,
    provider: &str,
    instance: Instance,
    folder: &Path,
    profile: &str,
) -> Result<(), Failure> {
    if !output::person_present() {
        return Err(Failure::failed(format!(
            "{provider} is logged in to at a terminal, and there is none here: run `jackfield login {provider}` in one, or give it a key with --env (`jackfield plugin inspect {provider}` lists the variables it takes)"
        )));
    }
    // Ctrl-C is the program's: it has the terminal.
    let _signals = Signals::new()?;
    let ended = host.run_attached(plugin, instance, folder, profile).await?;
    match (ended.overdue, ended.code) {
        (true, _) => Err(Failure::failed(format!("`{}` took longer than login_ms and was ended", ended.command))),
        (false, Some(0)) => Ok(()),
        (false, Some(code)) => Err(Failure::failed(format!("`{}` ended with exit code {code}", ended.command))),
        (false, None) => Err(Failure::failed(format!("`{}` was ended by a signal", ended.command))),
    }
}

/// What the program says now.
pub(crate) async fn told_by_program(manifest: &Manifest, instance: &Instance, patience: Duration) -> Login {
    let unknown = |how: String| Login { logged_in: LoggedIn::Unknown, how };
    let Some(cli) = manifest.cli.first() else { return unknown("its command ended well".into()) };
    let chosen = instance.program(manifest, &cli.program);
    match program::find(&cli.program, chosen, &std::env::var("PATH").unwrap_or_default()) {
        Ok(_) if cli.logged_in.is_none() => unknown("its command ended well".into()),
        Ok(found) => look::login(&found.path, cli, manifest, instance, patience).await,
        Err(error) => unknown(error.to_string()),
    }
}

/// A session that only logs in. Nothing when Ctrl-C stopped it.
async fn by_protocol(
    host: &Host,
    plugin: &Plugin,
    instance: Instance,
    folder: &Path,
    method: Option<&str>,
    manifest: &Manifest,
) -> Result<Option<Login>, Failure> {
    let thread = host.new_thread(plugin, instance, folder).await?;
    let ended = Talk { thread: &thread, method, manifest, asking: None, open: None, account: None }.run().await;
    let _ = thread.close().await;
    let id = thread.id().clone();
    drop(thread);
    let _ = host.delete_threads(&[id], "login").await;
    ended
}

struct Talk<'a> {
    thread: &'a Thread,
    method: Option<&'a str>,
    manifest: &'a Manifest,
    /// What a person is asked to pick from, and the lines that they type.
    asking: Option<(Request, UnboundedReceiver<String>)>,
    /// What a person has to do elsewhere.
    open: Option<RequestId>,
    account: Option<bool>,
}

/// What an event means for the login.
enum Heard {
    Nothing,
    /// Methods to pick from.
    Choice(Box<Request>),
    /// What a person typed; nothing when the terminal is gone.
    Typed(Option<String>),
    /// What was to be done elsewhere is done, or not.
    Over(bool),
    /// The session is over.
    Lost(Option<Fault>),
}

impl Talk<'_> {
    async fn run(mut self) -> Result<Option<Login>, Failure> {
        let mut signals = Signals::new()?;
        let mut events = self.thread.subscribe();
        let thread = self.thread;
        // It begins the session, and is answered once the conversation is open: no login is missing then.
        let mut opening = std::pin::pin!(thread.list_settings());
        let (mut answered, mut opened, mut asked) = (false, false, false);
        loop {
            let heard = tokio::select! {
                biased;
                event = events.next() => match event {
                    Some(event) => self.hear(&event),
                    None => Heard::Lost(None),
                },
                told = &mut opening, if !answered => {
                    answered = true;
                    // A session that is over says why in its last event.
                    opened = !matches!(told, Err(AskError::Ended));
                    Heard::Nothing
                }
                signal = signals.next() => match signal {
                    Signal::Interrupt | Signal::Terminate => return Ok(None),
                },
                line = next_line(&mut self.asking) => Heard::Typed(line),
            };
            match heard {
                Heard::Choice(request) if !asked => {
                    asked = true;
                    match self.pick(&request)? {
                        Some(offer) => thread.answer(request.id.clone(), chosen(offer), "login").await?,
                        None => {
                            ask_person(&request);
                            self.asking = Some((*request, read_lines()));
                        }
                    }
                }
                Heard::Typed(line) => {
                    let Some((request, _)) = self.asking.take() else { continue };
                    let picked = line.and_then(|line| line.trim().parse::<usize>().ok()?.checked_sub(1));
                    let offer = picked.and_then(|at| methods(&request).nth(at));
                    let offer = offer.ok_or_else(|| Failure::usage("none of these was picked"))?;
                    thread.answer(request.id.clone(), chosen(offer), "login").await?;
                }
                // Another one after it: the login did not hold.
                Heard::Choice(request) => return Err(Failure::failed(text_of(&request))),
                Heard::Over(false) => return Err(Failure::failed("the login was not completed")),
                Heard::Over(true) if opened => return Ok(Some(self.done())),
                Heard::Lost(fault) => {
                    let why = fault.map_or_else(|| "the session ended".to_owned(), |fault| fault.message);
                    return Err(Failure::unavailable(why));
                }
                Heard::Over(true) | Heard::Nothing => {}
            }
            if opened && self.open.is_none() && self.asking.is_none() {
                match self.method.filter(|_| !asked) {
                    // It is open without a login; one was asked for all the same.
                    Some(method) => {
                        asked = true;
                        thread.authenticate(method).await.map_err(|error| self.unknown_method(error.into()))?;
                        while let Some(event) = events.next_now() {
                            self.hear(&event);
                        }
                        if self.open.is_none() {
                            return Ok(Some(self.done()));
                        }
                    }
                    None => return Ok(Some(self.done())),
                }
            }
        }
    }

    fn hear(&mut self, event: &SessionEvent) -> Heard {
        match &event.draft.body {
            EventBody::RequestOpened { request } => {
                let RequestSubject::Login { login } = &request.subject else { return Heard::Nothing };
                if request.is_login_choice() {
                    return Heard::Choice(Box::new(request.clone()));
                }
                let code = login.code.as_ref().map(|code| format!("\n  code: {}", output::plain(code)));
                let url = login.url.as_ref().map(|url| format!("\n  {}", output::plain(url)));
                let (url, code) = (url.unwrap_or_default(), code.unwrap_or_default());
                eprintln!("{}{url}{code}", output::plain(&login.text));
                self.open = Some(request.id.clone());
                Heard::Nothing
            }
            EventBody::RequestResolved { request, resolution } if self.open.as_ref() == Some(request) => {
                self.open = None;
                Heard::Over(matches!(resolution, Resolution::Answered { .. }))
            }
            // Somebody logged in by another way, and it opens now; or nobody does any more, and its end says why.
            EventBody::RequestResolved { request, .. }
                if self.asking.as_ref().is_some_and(|(asking, _)| asking.id == *request) =>
            {
                self.asking = None;
                Heard::Nothing
            }
            EventBody::AccountUpdated { account } => {
                self.account = account.logged_in.or(self.account);
                Heard::Nothing
            }
            EventBody::SessionEnded { fault, .. } => Heard::Lost(fault.clone()),
            _ => Heard::Nothing,
        }
    }

    /// The method that was asked for, or the only one there is; nothing where a person picks one.
    fn pick<'r>(&self, request: &'r Request) -> Result<Option<&'r Offer>, Failure> {
        let methods: Vec<&Offer> = methods(request).collect();
        let list =
            || methods.iter().map(|offer| format!("{} ({})", offer.id, offer.label)).collect::<Vec<_>>().join(", ");
        match (self.method, methods.as_slice()) {
            (Some(method), _) => {
                methods.iter().find(|offer| offer.id == method).map(|offer| Some(*offer)).ok_or_else(|| {
                    Failure::usage(match methods.is_empty() {
                        true => format!("there is no login '{method}' here. {}", text_of(request)),
                        false => format!("there is no login '{method}'; there are: {}", list()),
                    })
                })
            }
            (None, []) => Err(Failure::failed(text_of(request))),
            (None, [only]) => Ok(Some(*only)),
            (None, _) if output::person_present() => Ok(None),
            (None, _) => {
                Err(Failure::usage(format!("there are several ways to log in; choose one with --method: {}", list())))
            }
        }
    }

    fn unknown_method(&self, failure: Failure) -> Failure {
        let known: Vec<&str> = self.manifest.login.iter().map(|way| way.method.as_str()).collect();
        match known.is_empty() {
            true => failure,
            false => Failure { error: failure.error.context(format!("known ways: {}", known.join(", "))), ..failure },
        }
    }

    fn done(&self) -> Login {
        match self.account {
            Some(false) => Login { logged_in: LoggedIn::No, how: "as the provider says".into() },
            Some(true) => Login { logged_in: LoggedIn::Yes, how: "as the provider says".into() },
            None => Login { logged_in: LoggedIn::Yes, how: "it opens a conversation".into() },
        }
    }
}

fn text_of(request: &Request) -> String {
    match &request.subject {
        RequestSubject::Login { login } => output::plain(&login.text),
        _ => "a login is needed".into(),
    }
}

/// The provider's methods among the options of a choice.
fn methods(request: &Request) -> impl Iterator<Item = &Offer> {
    request.options.iter().filter(|offer| offer.verdict == Verdict::Neutral && offer.id != LOGGED_IN)
}

fn ask_person(request: &Request) {
    eprintln!("How do you want to log in?");
    for (n, offer) in methods(request).enumerate() {
        eprintln!("  [{}] {}", n + 1, output::plain(&offer.label));
    }
}

/// The next line that a person types; never comes while nothing is asked.
async fn next_line(asking: &mut Option<(Request, UnboundedReceiver<String>)>) -> Option<String> {
    match asking {
        Some((_, lines)) => lines.recv().await,
        None => std::future::pending().await,
    }
}
