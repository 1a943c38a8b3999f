//! One row per kind of event: who takes it, and where it is shown.

use super::clean;
use super::report::{How, Where};
use super::route::Spot;
use super::Normalizer;
use crate::contract::EventBody as Told;
use crate::event::EventBody;

impl Normalizer {
    pub(super) fn told(&mut self, spot: &Spot, body: Told) {
        let t = spot.thread;
        if !spot.replayed && !matches!(body, Told::Threads(_) | Told::Settings(_) | Told::SlashCommands(_) | Told::McpServers(_) | Told::Account(_)) {
            self.end_history(t);
        }
        match body {
            Told::Delta(delta) => self.delta_told(spot, delta),
            Told::Items(items) => self.items_told(spot, items),
            Told::TurnStarted(start) => self.turn_started(spot, start),
            Told::TurnEnded(end) => self.turn_ended(spot, end),
            Told::Threads(threads) => self.threads_told(threads),
            Told::Tasks(tasks) => self.tasks_told(spot, tasks),
            Told::Roster(ids) => self.roster_told(spot, ids),
            Told::RequestsOpened(requests) => self.requests_opened(spot, requests),
            Told::RequestsClosed(ends) => self.requests_closed(spot, ends),
            Told::Other(other) => self.unknown(t, other.name, other.json),
            shown => self.pass(spot, shown),
        }
    }

    /// What is shown as it is told, but clean.
    fn pass(&mut self, spot: &Spot, body: Told) {
        let limits = self.limits.clone();
        let t = spot.thread;
        let place = match &body {
            Told::Settings(_) | Told::SlashCommands(_) | Told::McpServers(_) | Told::Account(_) | Told::Queue(_) => Where::default(),
            _ => self.here(spot),
        };
        let body = match body {
            Told::Plan(mut plan) => {
                clean::plan(&mut plan, &limits);
                if let Some(turn) = self.threads[t].open.as_mut().filter(|_| !spot.replayed) {
                    turn.plan = Some(plan.clone());
                }
                EventBody::PlanUpdated { plan }
            }
            Told::Usage(mut usage) => {
                clean::usage(&mut usage, &limits);
                EventBody::UsageUpdated { usage }
            }
            Told::Context(mut change) => {
                clean::context(&mut change, &limits);
                EventBody::ContextChanged { change }
            }
            Told::Changes(mut changes) => {
                changes.iter_mut().for_each(|diff| clean::file_diff(diff, &limits));
                EventBody::ChangesUpdated { changes }
            }
            Told::Settings(mut settings) => {
                clean::settings(&mut settings, &limits);
                EventBody::SettingsUpdated { settings }
            }
            Told::SlashCommands(mut commands) => {
                clean::commands(&mut commands, &limits);
                EventBody::SlashCommandsUpdated { commands }
            }
            Told::McpServers(mut servers) => {
                clean::servers(&mut servers, &limits);
                EventBody::McpUpdated { servers }
            }
            Told::Account(mut account) => {
                clean::account(&mut account, &limits);
                EventBody::AccountUpdated { account }
            }
            Told::Queue(ops) => {
                let runs = &self.threads[t].runs;
                let runs = ops.iter().filter_map(|op| runs.iter().find(|run| run.op == *op)).map(|run| run.id.clone());
                EventBody::QueueUpdated { runs: runs.collect() }
            }
            Told::Retrying(mut retry) => {
                clean::retry(&mut retry, &limits);
                EventBody::Retrying { retry }
            }
            Told::Note(mut note) => {
                clean::note(&mut note, &limits);
                EventBody::Note { note }
            }
            Told::Delta(_) | Told::Items(_) | Told::TurnStarted(_) | Told::TurnEnded(_) | Told::Threads(_) | Told::Tasks(_)
            | Told::Roster(_) | Told::RequestsOpened(_) | Told::RequestsClosed(_) | Told::Other(_) => return,
        };
        self.emit(t, place, How { replayed: spot.replayed, ..How::TOLD }, body);
    }
}
