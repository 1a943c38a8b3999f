//! The OpenAI Chat Completions dialect, which Copilot and OpenCode speak: what a step's blocks look like on the wire, streamed or whole.

use super::script::Block;
use super::wire::{Answer, Move, data, pieces};
use serde_json::{Value, json};
use std::time::Duration;

/// The answer as server-sent events.
pub(super) fn stream(answer: &Answer<'_>) -> Vec<Move> {
    let mut stream = Stream { answer, moves: Vec::new(), calls: 0 };
    stream.delta(json!({ "role": "assistant", "content": "" }));
    for (index, block) in answer.blocks.iter().enumerate() {
        if !stream.block(index, block) {
            return stream.moves;
        }
    }
    stream.chunk(json!([{ "index": 0, "delta": {}, "finish_reason": finish(answer) }]));
    let mut last = stream.frame(json!([]));
    last["usage"] = usage();
    stream.moves.push(data(&last));
    stream.moves.push(Move::Send("data: [DONE]\n\n".into()));
    stream.moves
}

/// The answer as one JSON object, for a client that does not want a stream.
pub(super) fn whole(answer: &Answer<'_>) -> Value {
    let (mut text, mut calls) = (String::new(), Vec::new());
    for (index, block) in answer.blocks.iter().enumerate() {
        match block {
            Block::Text { text: words, .. } => text.push_str(words),
            Block::Tool { name, input } => {
                let function = json!({ "name": name, "arguments": input.to_string() });
                calls.push(json!({ "id": call_id(answer, index), "type": "function", "function": function }));
            }
            _ => {}
        }
    }
    let mut message = json!({ "role": "assistant", "content": text });
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let choice = json!({ "index": 0, "message": message, "finish_reason": finish(answer) });
    json!({
        "id": id(answer), "object": "chat.completion", "created": 1_700_000_000, "model": answer.model,
        "choices": [choice], "usage": usage(),
    })
}

fn id(answer: &Answer<'_>) -> String {
    format!("chatcmpl-mock-{:04}", answer.number)
}

fn call_id(answer: &Answer<'_>, index: usize) -> String {
    format!("call_mock_{:04}_{index}", answer.number)
}

fn finish(answer: &Answer<'_>) -> &'static str {
    if answer.calls() { "tool_calls" } else { "stop" }
}

fn usage() -> Value {
    json!({ "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 })
}

struct Stream<'a> {
    answer: &'a Answer<'a>,
    moves: Vec<Move>,
    /// Calls so far: each has its place among them.
    calls: usize,
}

impl Stream<'_> {
    fn frame(&self, choices: Value) -> Value {
        json!({
            "id": id(self.answer), "object": "chat.completion.chunk", "created": 1_700_000_000,
            "model": self.answer.model, "choices": choices,
        })
    }

    fn chunk(&mut self, choices: Value) {
        self.moves.push(data(&self.frame(choices)));
    }

    fn delta(&mut self, delta: Value) {
        self.chunk(json!([{ "index": 0, "delta": delta, "finish_reason": null }]));
    }

    fn grow(&mut self, pieces: Vec<String>, delay_ms: u64, delta: impl Fn(String) -> Value) {
        for piece in pieces {
            self.delta(delta(piece));
            self.moves.push(Move::Pause(Duration::from_millis(delay_ms)));
        }
    }

    /// Says a block; false when nothing comes after it.
    fn block(&mut self, index: usize, block: &Block) -> bool {
        match block {
            Block::Text { text, piece, delay_ms } => {
                self.grow(pieces(text, *piece), *delay_ms, |piece| json!({ "content": piece }));
            }
            Block::Thinking { text } => {
                self.grow(pieces(text, 12), 10, |piece| json!({ "reasoning_content": piece }));
            }
            Block::Tool { name, input } => self.call(index, name, input),
            Block::Stall { ms } => self.moves.push(Move::Pause(Duration::from_millis(*ms))),
            Block::StreamError { error } => {
                self.moves.push(data(&json!({ "error": error })));
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

    fn call(&mut self, index: usize, name: &str, input: &Value) {
        let place = self.calls;
        self.calls += 1;
        let function = json!({ "name": name, "arguments": "" });
        let id = call_id(self.answer, index);
        let begun = json!({ "index": place, "id": id, "type": "function", "function": function });
        self.delta(json!({ "tool_calls": [begun] }));
        self.grow(
            pieces(&input.to_string(), 24),
            2,
            |piece| json!({ "tool_calls": [{ "index": place, "function": { "arguments": piece } }] }),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was sent, in order: chunks, and what is no JSON as a string.
    fn sent(blocks: &[Block]) -> Vec<Value> {
        let said = |text: &str| {
            let data = text.trim_end().strip_prefix("data: ").unwrap();
            serde_json::from_str(data).unwrap_or_else(|_| data.into())
        };
        let moves = stream(&Answer { number: 7, model: "m", blocks });
        moves.iter().filter_map(|one| if let Move::Send(text) = one { Some(said(text)) } else { None }).collect()
    }

    #[test]
    fn a_text_has_its_frame_and_its_pieces() {
        let sent = sent(&[Block::Text { text: "abc".into(), piece: 2, delay_ms: 0 }]);
        let contents: Vec<_> =
            sent.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str()).collect();
        assert_eq!(contents, ["", "ab", "c"]);
        let [.., end, usage, done] = &sent[..] else { panic!("too few: {sent:?}") };
        assert_eq!(end["choices"][0]["finish_reason"], "stop");
        assert_eq!((&usage["choices"], &usage["usage"]["total_tokens"]), (&json!([]), &json!(120)));
        assert_eq!(done, "[DONE]");
    }

    #[test]
    fn each_call_has_its_place_and_its_arguments_in_pieces() {
        let call = |name: &str| Block::Tool { name: name.into(), input: json!({ "command": "echo a long one" }) };
        let blocks = [call("one"), call("two")];
        let sent = sent(&blocks);
        let grown = |place: usize| -> String {
            let calls = sent.iter().map(|chunk| &chunk["choices"][0]["delta"]["tool_calls"][0]);
            calls
                .filter(|call| call["index"] == place)
                .filter_map(|call| call["function"]["arguments"].as_str())
                .collect()
        };
        assert_eq!((grown(0).as_str(), grown(1).as_str()), (r#"{"command":"echo a long one"}"#, grown(0).as_str()));
        assert_eq!(sent[sent.len() - 3]["choices"][0]["finish_reason"], "tool_calls");
        let whole = whole(&Answer { number: 7, model: "m", blocks: &blocks });
        assert_eq!(whole["choices"][0]["message"]["tool_calls"][1]["id"], "call_mock_0007_1");
    }

    #[test]
    fn a_cut_stream_has_no_end() {
        let sent = sent(&[Block::Text { text: "ab".into(), piece: 2, delay_ms: 0 }, Block::Cut]);
        assert_eq!(sent.last().unwrap()["choices"][0]["delta"]["content"], "ab");
    }
}
