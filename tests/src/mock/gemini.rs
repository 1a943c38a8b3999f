//! The dialect of Gemini's `generateContent`: what a step's blocks look like on the wire, streamed or whole.

use super::script::Block;
use super::wire::{Answer, Move, data, pieces};
use serde_json::{Value, json};
use std::time::Duration;

/// The answer as server-sent events.
pub(super) fn stream(answer: &Answer<'_>) -> Vec<Move> {
    let mut moves = Vec::new();
    let part = |part: Value| data(&frame(answer, json!([part]), None));
    for block in answer.blocks {
        match block {
            Block::Text { text, piece, delay_ms } => {
                for piece in pieces(text, *piece) {
                    moves.push(part(json!({ "text": piece })));
                    moves.push(Move::Pause(Duration::from_millis(*delay_ms)));
                }
            }
            Block::Thinking { text } => moves.push(part(json!({ "text": text, "thought": true }))),
            Block::Tool { name, input } => moves.push(part(call(name, input))),
            Block::Stall { ms } => moves.push(Move::Pause(Duration::from_millis(*ms))),
            Block::StreamError { error } => {
                moves.push(data(&json!({ "error": error })));
                return moves;
            }
            Block::Cut => {
                moves.push(Move::Cut);
                return moves;
            }
            Block::Http { .. } => {}
        }
    }
    moves.push(data(&frame(answer, json!([{ "text": "" }]), Some("STOP"))));
    moves
}

/// The answer as one JSON object. A client that asks so asks beside the conversation, most of the time for an object of its own.
pub(super) fn whole(answer: &Answer<'_>, request: &Value) -> Value {
    let wants = &request["generationConfig"];
    if wants["responseMimeType"] == "application/json" || wants["responseJsonSchema"].is_object() {
        return frame(answer, json!([{ "text": aside().to_string() }]), Some("STOP"));
    }
    let parts = answer.blocks.iter().filter_map(|block| match block {
        Block::Text { text, .. } => Some(json!({ "text": text })),
        Block::Tool { name, input } => Some(call(name, input)),
        _ => None,
    });
    frame(answer, parts.collect(), Some("STOP"))
}

/// The answer to whatever Gemini CLI asks beside the conversation: who speaks next, which model is to, what it was about.
fn aside() -> Value {
    json!({
        "reasoning": "nothing more is to be done", "next_speaker": "user", "model_choice": "flash",
        "complexity_reasoning": "it is short", "complexity_score": 10, "title": "A short title", "summary": "A short talk",
    })
}

fn call(name: &str, input: &Value) -> Value {
    json!({ "functionCall": { "name": name, "args": input }, "thoughtSignature": "bW9jaw==" })
}

fn frame(answer: &Answer<'_>, parts: Value, finish: Option<&str>) -> Value {
    let mut candidate = json!({ "index": 0, "content": { "role": "model", "parts": parts } });
    if let Some(reason) = finish {
        candidate["finishReason"] = reason.into();
    }
    json!({
        "candidates": [candidate], "modelVersion": answer.model, "responseId": format!("gresp_mock_{:04}", answer.number),
        "usageMetadata": { "promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(blocks: &[Block]) -> Vec<Value> {
        let part = |text: &str| {
            let frame: Value = serde_json::from_str(text.strip_prefix("data: ").unwrap()).unwrap();
            frame["candidates"][0]["content"]["parts"][0].clone()
        };
        let moves = stream(&Answer { number: 7, model: "m", blocks });
        moves.iter().filter_map(|one| if let Move::Send(text) = one { Some(part(text)) } else { None }).collect()
    }

    #[test]
    fn words_come_in_pieces_and_a_call_whole() {
        let call = Block::Tool { name: "t".into(), input: json!({ "command": "ls" }) };
        let parts = parts(&[Block::Text { text: "abc".into(), piece: 2, delay_ms: 0 }, call]);
        let texts: Vec<_> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
        assert_eq!(texts, ["ab", "c", ""]);
        assert_eq!(parts[2]["functionCall"], json!({ "name": "t", "args": { "command": "ls" } }));
    }

    #[test]
    fn a_cut_stream_has_no_end() {
        let text = Block::Text { text: "ab".into(), piece: 2, delay_ms: 0 };
        assert_eq!(parts(&[text, Block::Cut]), [json!({ "text": "ab" })]);
    }

    #[test]
    fn what_is_asked_beside_the_conversation_is_answered_in_the_shape_that_was_asked_for() {
        let blocks = [Block::Text { text: "Done.".into(), piece: 9, delay_ms: 0 }];
        let answer = Answer { number: 7, model: "m", blocks: &blocks };
        let text = |request: Value| whole(&answer, &request)["candidates"][0]["content"]["parts"][0]["text"].clone();
        let object = text(json!({ "generationConfig": { "responseMimeType": "application/json" } }));
        let object: Value = serde_json::from_str(object.as_str().unwrap()).unwrap();
        assert_eq!(object["next_speaker"], "user");
        assert_eq!(text(json!({})), "Done.");
    }
}
