//! The operator's rules at work: each request is judged by the provider's own frame before the plugin gets it, and answered by
//! the rule before any client is heard.
//!
//! What the rules say is `core::rules`; here is where paths lead, and the answer. **A rule answers only what the provider asked:
//! where it does not ask, or does not say what about, that is said at the session's start.** Tests: `tests/rules` of the workspace.

use super::outlet::fault;
use super::task::Task;
use jackfield_core::contract::{Chosen, Fault, FaultKind, Offer, Reply, Verdict};
use jackfield_core::event::{Draft, EventBody, Request, RequestSubject, Ruled};
use jackfield_core::id::RequestId;
use jackfield_core::manifest::Manifest;
use jackfield_core::policy::{Decision, Intent};
use jackfield_core::rules::{Call, Does, Real, Rule, Rules, Ruling};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// The rules of a session, and the workspace that they are about.
pub(crate) struct Judge {
    rules: Rules,
    workspace: PathBuf,
}

/// An answer that a rule gives.
pub(super) struct RuleAnswer {
    pub(super) request: RequestId,
    pub(super) reply: Reply,
    /// `rule deny rm -rf`.
    pub(super) by: String,
}

impl Judge {
    pub(crate) fn new(rules: &Rules, workspace: &Path) -> Judge {
        Judge { rules: rules.clone(), workspace: workspace.to_owned() }
    }

    pub(crate) fn judge(&self, call: &Call) -> Ruling {
        if self.rules.is_empty() {
            return Ruling::Silent;
        }
        self.rules.judge(call, &self.workspace, &|path| real(&self.workspace, path))
    }

    /// The rule that would lose its hold if a call of this kind were allowed for good: the provider would not ask again.
    pub(crate) fn outlived(&self, does: Option<Does>) -> Option<&Rule> {
        self.rules.denying().iter().find(|rule| does.is_none_or(|does| rule.does() == does))
    }
}

/// Where a path leads. `None` for what can't be told: a link to nothing, a folder that can't be looked into, another process's view.
fn real(workspace: &Path, text: &str) -> Option<Real> {
    if text.chars().any(char::is_control) {
        return None;
    }
    let path = match text.strip_prefix('~') {
        Some("") => home()?,
        Some(rest) => home()?.join(rest.strip_prefix('/')?),
        None => workspace.join(text),
    };
    let written = by_the_letter(&path)?;
    if ["/proc", "/dev/fd"].iter().any(|view| written.starts_with(view)) {
        return None;
    }
    Some(Real { path: followed(&path)?, written })
}

fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}

fn by_the_letter(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain.is_absolute().then_some(plain)
}

/// Every link followed as far as the path is there; what is not there yet must be plain names.
fn followed(path: &Path) -> Option<PathBuf> {
    let (mut there, mut rest): (&Path, Vec<OsString>) = (path, Vec::new());
    loop {
        match there.canonicalize() {
            Ok(real) => return Some(rest.iter().rev().fold(real, |path, name| path.join(name))),
            // A link to nothing is something that is there.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && there.symlink_metadata().is_err() => {
                rest.push(there.file_name()?.to_owned());
                there = there.parent()?;
            }
            Err(_) => return None,
        }
    }
}

impl Task {
    /// Says of each rule that it can't be held here, once; where the operator lets nothing run unasked, the session ends with
    /// one that forbids. All are on record, as they are at the start and when that changes.
    pub(super) async fn say_rules(&mut self, at: usize) {
        let rules = self.start.instance.rules.clone();
        let mut said = self.seats[at].rules_said.take();
        let first = said.is_none();
        let denying = rules.denying().iter().map(|rule| (rule, true));
        for (rule, denies) in denying.chain(rules.allowing().iter().map(|rule| (rule, false))) {
            let problem = self.not_held(rule);
            let news = problem.is_some() && !said.get_or_insert_default().contains(rule.text());
            if first || news {
                let facts = serde_json::json!({ "held": problem.is_none(), "because": problem });
                self.note("rule", rule.text(), facts);
            }
            let Some(problem) = problem.filter(|_| news) else { continue };
            said.get_or_insert_default().insert(rule.text().to_owned());
            let because = format!("the rule '{}' can't be held: {problem}", rule.text());
            if denies && !self.shared.policy.run_without_approvals {
                self.start_failed(Fault { code: Some("rule-not-held".into()), ..fault(FaultKind::Denied, because) });
            } else {
                self.say_decision(at, None, intent_of(rule), Decision::Unsupported { because }).await;
            }
        }
        self.seats[at].rules_said = Some(said.unwrap_or_default());
    }

    /// Why nothing that this rule is about can come before it.
    fn not_held(&self, rule: &Rule) -> Option<String> {
        match self.decides(intent_of(rule)) {
            Decision::Native => unmatched(rule, self.start.generation.manifest()).map(str::to_owned),
            decision => Some(decision.reason()),
        }
    }

    /// Marks a request that the rules are about, and keeps the answer that they give.
    pub(super) fn judge(&mut self, draft: &mut Draft) {
        let EventBody::RequestOpened { request } = &mut draft.body else { return };
        let Some(native) = self.normalizer.native_request(&request.id) else { return };
        let (rule, reply) = match self.outlet.guards().ruling(native) {
            Ruling::Silent => return,
            Ruling::Ask(because) => {
                request.ruled = Some(Ruled::Person { because });
                return;
            }
            Ruling::Allow(rule) => match once(request) {
                Some(offer) => (rule, chosen(offer, None)),
                // It does not offer what a rule may give: a person is asked, as without the rule.
                None => return,
            },
            Ruling::Deny(rule) => {
                let note = format!("The operator's rule '{rule}' forbids this.");
                let refusal = request.options.iter().find(|offer| offer.verdict == Verdict::RejectOnce);
                (rule, refusal.map_or(Reply::Dismissed, |offer| chosen(offer, Some(note))))
            }
        };
        let by = format!("rule {rule}");
        request.ruled = Some(Ruled::Rule { rule });
        self.by_rule.push_back(RuleAnswer { request: request.id.clone(), reply, by });
    }

    /// Gives the answers of rules: before any client is heard.
    pub(super) async fn answer_by_rule(&mut self) {
        while let Some(RuleAnswer { request, reply, by }) = self.by_rule.pop_front() {
            let its = self.normalizer.thread_of_request(&request);
            let Some(at) = its.and_then(|thread| self.seat_of(thread)) else { continue };
            let asked = self.asked(&request);
            if let Ok(answer) = self.normalizer.answer(&request, reply, &by) {
                self.ruled.insert(request.clone(), by.clone());
                self.send_answer(at, request, asked, answer, &by, None).await;
            }
        }
    }

    /// A rule's answer did not reach the provider: nobody else was asked, so the request is closed without consent.
    pub(super) fn rule_failed(&mut self, request: &RequestId) {
        if let Some(by) = self.ruled.remove(request) {
            self.by_rule.push_back(RuleAnswer { request: request.clone(), reply: Reply::Dismissed, by });
        }
    }
}

fn once(request: &Request) -> Option<&Offer> {
    let asks = matches!(request.subject, RequestSubject::Approval { .. }) && request.questions.is_empty();
    request.options.iter().find(|offer| asks && offer.verdict == Verdict::AllowOnce)
}

fn chosen(offer: &Offer, note: Option<String>) -> Reply {
    Reply::Chosen(Chosen { option_id: offer.id.clone(), note, input: None })
}

fn intent_of(rule: &Rule) -> Intent {
    match rule.does() {
        Does::Run | Does::Other => Intent::ApproveCommand,
        Does::Read => Intent::ApproveFileRead,
        Does::Edit => Intent::ApproveFileChange,
    }
}

/// Why no request of this plugin can be matched by the rule.
fn unmatched(rule: &Rule, manifest: &Manifest) -> Option<&'static str> {
    let shapes = || manifest.guard.iter().flat_map(|guard| &guard.call);
    match rule.does() {
        Does::Other if manifest.guard.iter().any(|guard| guard.tool.is_some()) => None,
        Does::Other => Some("the plugin's manifest does not say where a request names its tool"),
        does if shapes().any(|shape| shape.does == does) => None,
        Does::Run => Some("the plugin's manifest does not say where a request names the command"),
        Does::Read => Some("the plugin's manifest knows no request to read a file"),
        Does::Edit => Some("the plugin's manifest knows no request to change a file"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_path_is_where_it_leads() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let work = root.join("work");
        std::fs::create_dir_all(work.join("a")).unwrap();
        std::fs::write(root.join("secret"), "s").unwrap();
        symlink("..", work.join("up")).unwrap();
        symlink(root.join("secret"), work.join("leak")).unwrap();
        symlink("nowhere", work.join("dangling")).unwrap();
        symlink("loop", work.join("loop")).unwrap();
        let leads = |text: &str| real(&work, text).map(|real| real.path);
        assert_eq!(leads("a/../a/new/file"), Some(work.join("a/new/file")));
        assert_eq!(leads("."), Some(work.clone()));
        assert_eq!(leads(&format!("{}/", work.display())), Some(work.clone()));
        for out in ["../secret", "up/secret", "leak", "a/../../secret", "up/../secret/../secret"] {
            let path = leads(out);
            assert!(path.as_ref().is_none_or(|path| !path.starts_with(&work)), "{out} leads to {path:?}");
        }
        assert_eq!(leads("leak"), Some(root.join("secret")));
        for unsure in
            ["dangling", "loop", "loop/x", "missing/../a", "/proc/self/cwd/etc", "/dev/fd/3", "a\nb", "~somebody/x"]
        {
            assert_eq!(leads(unsure), None, "{unsure:?}");
        }
    }
}
