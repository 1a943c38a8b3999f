//! The Anthropic Messages dialect: what a step's blocks look like on the wire, streamed or whole.

use super::script::Block;
use serde_json::{Value, json};
use std::time::Duration;

/// One move of a streamed answer.
#[derive(Debug, PartialEq)]
pub(super) enum Move {
    /// Send these bytes.
    Send(String),
    /// Wait.
    Pause(Duration),
    /// Break the connection.
    Cut,
}

/// What answers are about: a number that is theirs alone, and the model that was asked for.
pub(super) struct Answer<'a> {
    pub number: u32,
    pub model: &'a str,
    pub blocks: &'a [Block],
}

impl Answer<'_> {
    /// The answer as server-sent events.
    pub(super) fn stream(&self) -> Vec<Move> {
        let mut message = self.message(Vec::new());
        message["stop_reason"] = Value::Null;
        let mut moves = vec![event("message_start", json!({ "message": message })), event("ping", json!({}))];
        let mut index = 0;
        for block in self.blocks {
            match block {
                Block::Stall { ms } => moves.push(Move::Pause(Duration::from_millis(*ms))),
                Block::Cut => {
                    moves.push(Move::Cut);
                    return moves;
                }
                Block::StreamError { error } => {
                    moves.push(event("error", json!({ "error": error })));
                    return moves;
                }
                Block::Http { .. } => {}
                Block::Text { .. } | Block::Thinking { .. } | Block::Tool { .. } => {
                    self.block(&mut moves, index, block);
                    index += 1;
                }
            }
        }
        let delta = json!({ "stop_reason": self.stop_reason(), "stop_sequence": null });
        moves.push(event("message_delta", json!({ "delta": delta, "usage": { "output_tokens": 20 } })));
        moves.push(event("message_stop", json!({})));
        moves
    }

    /// The answer as one JSON object, for a client that does not want a stream.
    pub(super) fn whole(&self) -> Value {
        let mut content = Vec::new();
        for (index, block) in self.blocks.iter().enumerate() {
            match block {
                Block::Text { text, .. } => content.push(json!({ "type": "text", "text": text })),
                Block::Tool { name, input } => {
                    content
                        .push(json!({ "type": "tool_use", "id": self.tool_id(index), "name": name, "input": input }));
                }
                _ => {}
            }
        }
        self.message(content)
    }

    fn message(&self, content: Vec<Value>) -> Value {
        json!({
            "id": format!("msg_mock_{:04}", self.number),
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": content,
            "stop_reason": self.stop_reason(),
            "stop_sequence": null,
            "usage": { "input_tokens": 100, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1 },
        })
    }

    fn stop_reason(&self) -> &'static str {
        if self.calls() { "tool_use" } else { "end_turn" }
    }

    /// Whether it calls a tool.
    pub(super) fn calls(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, Block::Tool { .. }))
    }

    fn tool_id(&self, index: usize) -> String {
        format!("toolu_mock_{:04}_{index}", self.number)
    }

    fn block(&self, moves: &mut Vec<Move>, index: usize, block: &Block) {
        let (start, deltas, delay_ms) = match block {
            Block::Text { text, piece, delay_ms } => {
                let start = json!({ "type": "text", "text": "" });
                (start, deltas("text_delta", "text", text, *piece), *delay_ms)
            }
            Block::Thinking { text } => {
                let mut all = deltas("thinking_delta", "thinking", text, 12);
                all.push(json!({ "type": "signature_delta", "signature": "bW9jaw==" }));
                (json!({ "type": "thinking", "thinking": "", "signature": "" }), all, 10)
            }
            Block::Tool { name, input } => {
                let start = json!({ "type": "tool_use", "id": self.tool_id(index), "name": name, "input": {} });
                (start, deltas("input_json_delta", "partial_json", &input.to_string(), 24), 2)
            }
            _ => return,
        };
        moves.push(event("content_block_start", json!({ "index": index, "content_block": start })));
        for delta in deltas {
            moves.push(event("content_block_delta", json!({ "index": index, "delta": delta })));
            moves.push(Move::Pause(Duration::from_millis(delay_ms)));
        }
        moves.push(event("content_block_stop", json!({ "index": index })));
    }
}

/// A server-sent event, whose data names its kind, too.
pub(super) fn event(name: &str, mut data: Value) -> Move {
    data["type"] = name.into();
    Move::Send(format!("event: {name}\ndata: {data}\n\n"))
}

/// A server-sent event without a name.
pub(super) fn data(data: &Value) -> Move {
    Move::Send(format!("data: {data}\n\n"))
}

fn deltas(kind: &str, key: &str, text: &str, piece: usize) -> Vec<Value> {
    pieces(text, piece).into_iter().map(|piece| json!({ "type": kind, key: piece })).collect()
}

/// The text in pieces of so many characters.
pub(super) fn pieces(text: &str, piece: usize) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(piece.max(1)).map(|piece| piece.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Block {
        Block::Text { text: text.into(), piece: 2, delay_ms: 0 }
    }

    fn sent(blocks: &[Block]) -> Vec<String> {
        let moves = Answer { number: 1, model: "m", blocks }.stream();
        let kind = |bytes: String| bytes.lines().next().unwrap_or_default().trim_start_matches("event: ").to_owned();
        moves.into_iter().filter_map(|m| if let Move::Send(bytes) = m { Some(kind(bytes)) } else { None }).collect()
    }

    #[test]
    fn a_text_has_its_frame_and_its_pieces() {
        let expected = "message_start ping content_block_start content_block_delta content_block_delta \
                        content_block_stop message_delta message_stop";
        assert_eq!(sent(&[text("abc")]).join(" "), expected);
    }

    #[test]
    fn a_cut_stream_has_no_end() {
        assert_eq!(sent(&[text("ab"), Block::Cut, text("cd")]).last().map(String::as_str), Some("content_block_stop"));
    }

    #[test]
    fn a_call_stops_for_its_tool() {
        let call = Block::Tool { name: "Bash".into(), input: json!({ "command": "ls" }) };
        let whole = Answer { number: 7, model: "m", blocks: &[call] }.whole();
        assert_eq!(whole["stop_reason"], "tool_use");
        assert_eq!(whole["content"][0]["id"], "toolu_mock_0007_0");
    }
}
