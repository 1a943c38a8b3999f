//! A login that the agent wants before it opens a conversation: its methods are offered as a request, which the host answers by
//! `authenticate`. What the host offers beside them, and who is asked, is the host's.

use jackfield_sdk::prelude::*;

use crate::dialect::AcpDialect;
use crate::session::Acp;

impl<D: AcpDialect> Acp<D> {
    /// No conversation is opened. Where a login is missing, the agent's methods are offered.
    pub(crate) fn not_let_in(&mut self, cx: &mut Cx, op: u32, fault: Fault) {
        let fault = self.with_login(fault);
        let methods: Vec<Offer> =
            self.agent.logins.iter().filter(|login| login.command().is_none()).map(offer).collect();
        if fault.kind == FaultKind::Auth && !methods.is_empty() {
            let login = Login { url: None, code: None, text: fault.message.clone() };
            // One command fails once: its number is used by no other request.
            let request = Request::new(format!("login-{op}"), Subject::Login(login));
            cx.event(EventBody::RequestsOpened(vec![Request { options: methods, ..request }]));
        }
        cx.fail(op, fault);
    }
}

fn offer(login: &crate::wire::AuthMethod) -> Offer {
    let label = match &login.description {
        Some(about) if !about.is_empty() => format!("{}: {about}", login.name),
        _ => login.name.clone(),
    };
    Offer::new(&login.id, label, Verdict::Neutral)
}
