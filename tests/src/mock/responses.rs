//! The OpenAI Responses dialect, as far as Codex needs it: what a step's blocks look like on the wire, always streamed.

use super::script::Block;
use super::wire::{Answer, Move, event, pieces};
use serde_json::{Value, json};
use std::time::Duration;

/// The answer as server-sent events.
pub(super) fn stream(answer: &Answer<'_>) -> Vec<Move> {
    let mut stream = Stream { answer, moves: Vec::new(), output: Vec::new(), sent: 0 };
    stream.send("response.created", json!({ "response": stream.response("in_progress") }));
    for (index, block) in answer.blocks.iter().enumerate() {
        if !stream.block(index, block) {
            return stream.moves;
        }
    }
    let usage = json!({
        "input_tokens": 100, "input_tokens_details": { "cached_tokens": 0 },
        "output_tokens": 20, "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 120,
    });
    let mut whole = stream.response("completed");
    whole["usage"] = usage;
    stream.send("response.completed", json!({ "response": whole }));
    stream.moves
}

struct Stream<'a> {
    answer: &'a Answer<'a>,
    moves: Vec<Move>,
    /// Items that are whole.
    output: Vec<Value>,
    /// Events so far: each has its number.
    sent: u32,
}

/// How an item grows: the kind of its pieces, what each has beside the text, the pieces, and the pause after each.
struct Growth<'a> {
    kind: &'a str,
    beside: Value,
    pieces: Vec<String>,
    delay_ms: u64,
}

impl Stream<'_> {
    fn send(&mut self, kind: &str, mut data: Value) {
        data["sequence_number"] = self.sent.into();
        self.sent += 1;
        self.moves.push(event(kind, data));
    }

    fn response(&self, status: &str) -> Value {
        json!({
            "id": format!("resp_mock_{:04}", self.answer.number), "object": "response", "created_at": 1_700_000_000,
            "model": self.answer.model, "status": status, "output": self.output,
        })
    }

    fn id(&self, kind: &str, index: usize) -> String {
        format!("{kind}_mock_{:04}_{index}", self.answer.number)
    }

    /// Says a block; false when nothing comes after it.
    fn block(&mut self, index: usize, block: &Block) -> bool {
        match block {
            Block::Text { text, piece, delay_ms } => self.text(index, text, *piece, *delay_ms),
            Block::Thinking { text } => self.thinking(index, text),
            Block::Tool { name, input } => self.tool(index, name, input),
            Block::Stall { ms } => self.moves.push(Move::Pause(Duration::from_millis(*ms))),
            Block::StreamError { error } => {
                let mut failed = self.response("failed");
                failed["error"] = error.clone();
                self.send("response.failed", json!({ "response": failed }));
                return false;
            }
            Block::Cut => {
                self.moves.push(Move::Cut);
                return false;
            }
            Block::Http { .. } => {}
        }
        true
    }

    fn text(&mut self, index: usize, text: &str, piece: usize, delay_ms: u64) {
        let begun = json!({
            "type": "message", "id": self.id("msg", index), "role": "assistant", "status": "in_progress", "content": [],
        });
        let part = |text: &str| json!({ "type": "output_text", "text": text, "annotations": [] });
        let mut whole = begun.clone();
        (whole["status"], whole["content"]) = ("completed".into(), json!([part(text)]));
        let growth = Growth {
            kind: "response.output_text",
            beside: json!({ "content_index": 0 }),
            pieces: pieces(text, piece),
            delay_ms,
        };
        self.item(begun, Some(("response.content_part.added", part(""))), growth, whole);
    }

    /// A thought: its summary, as the service gives it.
    fn thinking(&mut self, index: usize, text: &str) {
        let begun = json!({ "type": "reasoning", "id": self.id("rs", index), "summary": [] });
        let part = |text: &str| json!({ "type": "summary_text", "text": text });
        let mut whole = begun.clone();
        (whole["summary"], whole["encrypted_content"]) = (json!([part(text)]), "bW9jaw==".into());
        let growth = Growth {
            kind: "response.reasoning_summary_text",
            beside: json!({ "summary_index": 0 }),
            pieces: pieces(text, 12),
            delay_ms: 10,
        };
        self.item(begun, Some(("response.reasoning_summary_part.added", part(""))), growth, whole);
    }

    /// A call: of a function, or of a tool whose input is a text.
    fn tool(&mut self, index: usize, name: &str, input: &Value) {
        let free = input.as_str();
        let (kind, key, grows) = match free {
            Some(_) => ("custom_tool_call", "input", "response.custom_tool_call_input"),
            None => ("function_call", "arguments", "response.function_call_arguments"),
        };
        let text = free.map_or_else(|| input.to_string(), str::to_owned);
        let (namespace, name) = name.split_once("::").map_or((None, name), |(within, name)| (Some(within), name));
        let mut begun = json!({
            "type": kind, "id": self.id("fc", index), "call_id": self.id("call", index), "name": name, key: "",
            "status": "in_progress",
        });
        if let Some(namespace) = namespace {
            begun["namespace"] = namespace.into();
        }
        let mut whole = begun.clone();
        (whole["status"], whole[key]) = ("completed".into(), text.as_str().into());
        let growth = Growth { kind: grows, beside: json!({}), pieces: pieces(&text, 40), delay_ms: 2 };
        self.item(begun, None, growth, whole);
    }

    fn item(&mut self, begun: Value, part: Option<(&str, Value)>, growth: Growth<'_>, whole: Value) {
        let index = self.output.len();
        let id = begun["id"].clone();
        self.send("response.output_item.added", json!({ "output_index": index, "item": begun }));
        let place = |mut data: Value| {
            (data["item_id"], data["output_index"]) = (id.clone(), index.into());
            data
        };
        if let Some((kind, part)) = part {
            let mut data = growth.beside.clone();
            data["part"] = part;
            self.send(kind, place(data));
        }
        for piece in growth.pieces {
            let mut data = growth.beside.clone();
            data["delta"] = piece.into();
            self.send(&format!("{}.delta", growth.kind), place(data));
            self.moves.push(Move::Pause(Duration::from_millis(growth.delay_ms)));
        }
        self.send("response.output_item.done", json!({ "output_index": index, "item": whole }));
        self.output.push(whole);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events' data, in order.
    fn sent(blocks: &[Block]) -> Vec<Value> {
        let data = |bytes: String| Some(serde_json::from_str(bytes.lines().nth(1)?.strip_prefix("data: ")?).unwrap());
        let moves = stream(&Answer { number: 7, model: "m", blocks });
        moves.into_iter().filter_map(|m| if let Move::Send(bytes) = m { data(bytes) } else { None }).collect()
    }

    fn text(text: &str) -> Block {
        Block::Text { text: text.into(), piece: 2, delay_ms: 0 }
    }

    #[test]
    fn a_text_has_its_frame_and_its_pieces() {
        let sent = sent(&[text("abc")]);
        let kinds: Vec<&str> =
            sent.iter().filter_map(|data| data["type"].as_str()?.strip_prefix("response.")).collect();
        let expected = "created output_item.added content_part.added output_text.delta output_text.delta \
                        output_item.done completed";
        assert_eq!(kinds.join(" "), expected);
        assert!(sent.iter().enumerate().all(|(at, data)| data["sequence_number"] == at));
        assert_eq!(sent[6]["response"]["output"][0]["content"][0]["text"], "abc");
    }

    #[test]
    fn a_cut_stream_has_no_end() {
        assert_eq!(sent(&[text("ab"), Block::Cut, text("cd")]).last().unwrap()["type"], "response.output_item.done");
    }

    #[test]
    fn a_call_is_of_a_function_or_free() {
        let call = |input: Value| Block::Tool { name: "t".into(), input };
        let whole = |block: Block| sent(&[block]).last().unwrap()["response"]["output"][0].clone();
        let function = whole(call(json!({ "cmd": "ls" })));
        assert_eq!((&function["type"], &function["arguments"]), (&json!("function_call"), &json!(r#"{"cmd":"ls"}"#)));
        assert!(function["namespace"].is_null());
        let within = whole(Block::Tool { name: "forms::fill".into(), input: json!({}) });
        assert_eq!((&within["namespace"], &within["name"]), (&json!("forms"), &json!("fill")));
        let free = whole(call(json!("*** Begin")));
        assert_eq!((&free["type"], &free["input"]), (&json!("custom_tool_call"), &json!("*** Begin")));
    }
}
