//! Events as one short line each; ids become `i1`, `t1` in the order in which they are seen.

use super::script::Line;
use jackfield_core::contract::{Content, Tool};
use jackfield_core::event::{EventBody, Item, ItemBody, Origin};
use jackfield_core::ledger::LedgerCounts;
use std::collections::BTreeMap;

/// Short names of ids.
#[derive(Default)]
struct Names(BTreeMap<String, String>);

impl Names {
    fn of(&mut self, id: &str) -> String {
        let letter = id.chars().next().unwrap_or('?');
        let count = self.0.keys().filter(|known| known.starts_with(letter) && known[..3] == id[..3]).count();
        let letter = if id.starts_with("trn") {
            "turn"
        } else if id.starts_with("tsk") {
            "task"
        } else if id.starts_with("req") {
            "ask"
        } else {
            &id[..1]
        };
        self.0.entry(id.to_owned()).or_insert_with(|| format!("{letter}{}", count + 1)).clone()
    }
}

/// All lines.
pub fn lines(seen: &[Line]) -> String {
    let mut names = Names::default();
    seen.iter().map(|line| one(&mut names, line) + "\n").collect()
}

fn one(names: &mut Names, line: &Line) -> String {
    let routed = match line {
        Line::Said(said) => return said.clone(),
        Line::Event(routed) => routed,
    };
    let draft = &routed.draft;
    let mut text = if routed.thread.as_str() == "thr_a1" { String::new() } else { format!("{}: ", routed.thread) };
    text.push_str(&body(names, &draft.body));
    if let Some(turn) = &draft.turn {
        text += &format!(" [{}]", names.of(turn.as_str()));
    }
    if let Some(run) = &draft.run {
        text += &format!(" {run}");
    }
    if let Some(parent) = &draft.parent {
        text += &format!(" in {}", names.of(parent.as_str()));
    }
    text + &origin(&draft.origin)
}

fn origin(origin: &Origin) -> String {
    let mut text = String::new();
    if let Some(correlation) = origin.correlation {
        text += &format!(" {}", serde_json::to_value(correlation).expect("a word").as_str().unwrap_or("?"));
    }
    if origin.synthetic {
        text += " synthetic";
    }
    if origin.replayed {
        text += " replayed";
    }
    text
}

fn body(names: &mut Names, body: &EventBody) -> String {
    let json = serde_json::to_value(body).expect("plain data");
    let kind = json["type"].as_str().unwrap_or("?").to_owned();
    let word = |name: &str| json[name].as_str().unwrap_or("").to_owned();
    let rest = match body {
        EventBody::ItemStarted { item: it }
        | EventBody::ItemUpdated { item: it }
        | EventBody::ItemEnded { item: it } => item(names, it),
        EventBody::ItemDelta { item, text, .. } => format!("{} {} {text:?}", names.of(item.as_str()), word("kind")),
        EventBody::RunEnded { ledger, background, fault, joined, .. } => {
            let joined = joined.as_ref().map_or(String::new(), |run| format!(" into {run}"));
            let background = if *background { " background" } else { "" };
            assert!(ledger.balanced(), "the ledger of a run balances");
            let fault = fault.as_ref().map_or(String::new(), |fault| {
                format!(
                    " ({}: {}{})",
                    json["fault"]["kind"].as_str().unwrap_or("?"),
                    fault.message,
                    extra(&fault.extra)
                )
            });
            format!("{}{joined}{fault}{background} {}", word("status"), counts(ledger)).trim_end().to_owned()
        }
        EventBody::RequestOpened { request } => {
            let options: Vec<_> = request.options.iter().map(|offer| offer.id.as_str()).collect();
            let about = request.item.as_ref().map_or(String::new(), |id| format!(" about {}", names.of(id.as_str())));
            format!(
                "{} {}{about} {options:?}",
                names.of(request.id.as_str()),
                json["request"]["subject"].as_str().unwrap_or("?")
            )
        }
        EventBody::RequestResolved { request, resolution } => {
            format!("{} {}", names.of(request.as_str()), serde_json::to_string(resolution).expect("plain data"))
        }
        EventBody::TaskUpdated { task } => {
            let item = task.item.as_ref().map_or(String::new(), |id| format!(" of {}", names.of(id.as_str())));
            let background = if task.background { " background" } else { "" };
            let summary = task.summary.as_ref().map_or(String::new(), |text| format!(" {text:?}"));
            format!(
                "{} {}{item}{background}{summary}",
                names.of(task.id.as_str()),
                json["task"]["status"].as_str().unwrap_or("?")
            )
        }
        EventBody::TurnStarted { ordinal, reason } => {
            format!("#{ordinal} {}", reason.clone().unwrap_or_default()).trim_end().to_owned()
        }
        EventBody::AttemptStarted { .. } => word("reason"),
        EventBody::Diagnostic { note, count } => format!("{} x{count}", note.code),
        EventBody::Note { note } => format!("{:?}", note.text),
        EventBody::PlanUpdated { plan } => serde_json::to_string(&plan.steps).expect("plain data"),
        EventBody::TurnEnded { status: _, frames: Some(frames), .. } if frames.frames_in > 0 => {
            assert!(frames.balanced(), "the ledger of a turn balances");
            format!("{} {}", word("status"), counts(frames))
        }
        EventBody::SessionEnded { exit_code, stderr_tail, outside, .. } => {
            let outside = outside.as_ref().filter(|outside| outside.frames_in > 0);
            let outside = outside.map_or(String::new(), |outside| format!(" outside {}", counts(outside)));
            format!("{} {exit_code:?} {stderr_tail:?}{outside}", word("reason"))
        }
        EventBody::Unknown { kind, raw } => format!("{kind} {raw}"),
        EventBody::ThreadUpdated { native_id, parent_native_id, resumable, .. } => {
            format!("{native_id} {parent_native_id:?} {resumable}")
        }
        _ => word("status"),
    };
    format!("{kind} {rest}").trim_end().to_owned()
}

fn counts(ledger: &LedgerCounts) -> String {
    let counts = serde_json::to_value(ledger).expect("plain data");
    let counts = counts.as_object().into_iter().flatten().filter(|(_, count)| **count != 0);
    counts.map(|(name, count)| format!("{name}={count}")).collect::<Vec<_>>().join(" ")
}

fn extra(pairs: &[(String, String)]) -> String {
    pairs.iter().map(|(name, value)| format!("; {name} {value}")).collect()
}

fn item(names: &mut Names, item: &Item) -> String {
    let status = serde_json::to_value(item.status).expect("a word");
    let what = match &item.body {
        ItemBody::UserMessage { content, typed } => {
            format!("user {:?}{}", words(content), if *typed { "" } else { " not typed" })
        }
        ItemBody::AssistantMessage { text, .. } => format!("assistant {text:?}"),
        ItemBody::Reasoning { text } => format!("reasoning {text:?}"),
        ItemBody::ProposedPlan { text } => format!("plan {text:?}"),
        ItemBody::Tool { tool, input_text, output } => format!("tool {}{input_text}{output}", call(tool)),
        ItemBody::Unknown { name, json } => format!("unknown {name} {json}"),
    };
    format!("{}.{} {what} {}", names.of(item.id.as_str()), item.ordinal, status.as_str().unwrap_or("?"))
}

fn call(tool: &Tool) -> String {
    let gave = words(&tool.content);
    let gave = if gave.is_empty() { gave } else { format!("=> {gave}") };
    format!("{}({}){gave}", tool.name.as_deref().unwrap_or("?"), tool.input.as_deref().unwrap_or(""))
}

fn words(content: &[Content]) -> String {
    content.iter().map(|part| if let Content::Text(text) = part { text.as_str() } else { "…" }).collect()
}
