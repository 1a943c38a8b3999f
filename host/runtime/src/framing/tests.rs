//! The "framing and bytes" faults, as `check(framing, limit, bytes, pieces)`; each input is also split at every offset.

use super::*;
use proptest::prelude::*;

fn text(text: &str) -> Piece {
    Piece::Frame(FrameData::Text(text.to_owned()))
}

fn named(name: &str, data: &str) -> Piece {
    Piece::Frame(FrameData::Named((name.to_owned(), data.to_owned())))
}

fn noise(text: &str) -> Piece {
    Piece::Noise(text.to_owned())
}

fn play(framing: Framing, limit: usize, chunks: &[&[u8]]) -> Vec<Piece> {
    let mut splitter = Splitter::new(framing, limit);
    let mut pieces: Vec<Piece> = chunks.iter().flat_map(|chunk| splitter.feed(chunk)).collect();
    pieces.extend(splitter.end());
    pieces
}

fn check(framing: Framing, limit: usize, bytes: &[u8], expected: &[Piece]) {
    assert_eq!(play(framing, limit, &[bytes]), expected, "in one read");
    for at in 0..=bytes.len() {
        assert_eq!(play(framing, limit, &[&bytes[..at], &bytes[at..]]), expected, "split at byte {at}");
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(play(framing, limit, &single), expected, "one byte per read");
}

const LIMIT: usize = 4096;

#[test]
fn noise_is_cut_between_characters() {
    let line = format!("{}é not json\n{{\"a\":1}}\n", "x".repeat(199));
    check(Framing::Ndjson, LIMIT, line.as_bytes(), &[noise(&"x".repeat(199)), text("{\"a\":1}")]);
}

#[test]
fn a_wrong_byte_at_the_cut_is_shown() {
    let line = [&b"y".repeat(198)[..], b"\xff\xfe junk\n"].concat();
    check(Framing::Ndjson, LIMIT, &line, &[noise(&format!("{}\\xff\\xfe", "y".repeat(198)))]);
}

#[test]
fn invalid_utf8_is_quoted_and_the_next_frame_comes() {
    check(Framing::Ndjson, LIMIT, b"\xff\xfe junk\n{\"a\":1}\n", &[noise("\\xff\\xfe junk"), text("{\"a\":1}")]);
}

#[test]
fn invalid_utf8_in_a_frame_keeps_its_bytes() {
    check(
        Framing::Ndjson,
        LIMIT,
        b"{\"a\":\"\xff\"}\n",
        &[Piece::Frame(FrameData::Bytes(b"{\"a\":\"\xff\"}".to_vec()))],
    );
}

#[test]
fn characters_split_over_reads_stay_whole_and_replacement_characters_stay() {
    check(Framing::Ndjson, LIMIT, "{\"text\":\"台\"}\n".as_bytes(), &[text("{\"text\":\"台\"}")]);
    check(Framing::JsonRpc, LIMIT, "{\"text\":\"\u{fffd}\"}\n".as_bytes(), &[text("{\"text\":\"\u{fffd}\"}")]);
}

#[test]
fn logs_ansi_scalars_blank_lines_and_crlf() {
    let bytes = b"Starting...\n\x1b[2J{\"jsonrpc\":\"2.0\"}\n\r\n \t\n\n42\n\"x\"\n[1]\n{\"id\":1,\"level\":\"info\"}\r\n  {\"b\":2}\n";
    check(
        Framing::JsonRpc,
        LIMIT,
        bytes,
        &[
            noise("Starting..."),
            noise("\x1b[2J{\"jsonrpc\":\"2.0\"}"),
            noise("42"),
            noise("\"x\""),
            noise("[1]"),
            text("{\"id\":1,\"level\":\"info\"}"),
            text("  {\"b\":2}"),
        ],
    );
}

#[test]
fn the_last_line_needs_no_newline_and_only_one_cr_is_cut() {
    check(Framing::Ndjson, LIMIT, b"{\"a\":1}\r\r\n{\"b\":2}", &[text("{\"a\":1}\r"), text("{\"b\":2}")]);
    check(Framing::Ndjson, LIMIT, b"", &[]);
    check(Framing::Ndjson, LIMIT, b"\r", &[]);
}

#[test]
fn a_line_over_the_limit_fails_alone_with_its_exact_size() {
    let fits = format!("{{{}}}", "a".repeat(14));
    let over = format!("{{{}}}", "a".repeat(15));
    let bytes = format!("{fits}\r\n{over}\n{over}\r\n{over}x\r\n{fits}\n{over}");
    check(
        Framing::Ndjson,
        16,
        bytes.as_bytes(),
        &[
            text(&fits),
            Piece::TooLarge { bytes: 17 },
            Piece::TooLarge { bytes: 17 },
            Piece::TooLarge { bytes: 18 },
            text(&fits),
            Piece::TooLarge { bytes: 17 },
        ],
    );
}

#[test]
fn the_rest_of_a_cut_line_is_never_a_frame() {
    let head = "x".repeat(20);
    check(
        Framing::Ndjson,
        16,
        format!("{head}{{\"a\":1}}\n{{}}\n").as_bytes(),
        &[Piece::TooLarge { bytes: 27 }, text("{}")],
    );
}

#[test]
fn eight_mebibytes_are_parsed_and_thirty_three_are_not() {
    const MIB: usize = 1 << 20;
    let line = |bytes: usize| format!("{{{}}}", "a".repeat(bytes - 2));
    let bytes = format!("{}\n{}\n{{}}\n", line(8 * MIB), line(33 * MIB));
    let chunks: Vec<&[u8]> = bytes.as_bytes().chunks(64 * 1024).collect();
    let pieces = play(Framing::Ndjson, 16 * MIB, &chunks);
    assert!(matches!(&pieces[0], Piece::Frame(FrameData::Text(text)) if text.len() == 8 * MIB));
    assert_eq!(pieces[1..], [Piece::TooLarge { bytes: 33 * MIB as u64 }, text("{}")]);
}

#[test]
fn a_gibibyte_without_a_newline_stays_bounded() {
    let limit = 1 << 20;
    for framing in [Framing::Ndjson, Framing::Sse, Framing::Raw] {
        let mut splitter = Splitter::new(framing, limit);
        let chunk = vec![b'a'; 64 * 1024];
        let mut pieces = 0;
        for _ in 0..16 * 1024 {
            pieces += splitter.feed(&chunk).len();
            assert!(splitter.held_bytes() <= limit + 1024, "{framing:?} holds {}", splitter.held_bytes());
        }
        if framing == Framing::Raw {
            assert_eq!(pieces, 16 * 1024);
        } else {
            assert_eq!((pieces, splitter.end()), (0, vec![Piece::TooLarge { bytes: 1 << 30 }]), "{framing:?}");
        }
    }
}

#[test]
fn server_sent_events() {
    let bytes = b"\xef\xbb\xbf: hello\ndata: one\n\nevent: tick\r\ndata:{\"a\":1}\r\ndata:  two\r\nid: 7\r\n\r\nevent: message\rdata: m\r\rdata\n\nevent: empty\n\nretry: 5\n\n";
    check(Framing::Sse, LIMIT, bytes, &[text("one"), named("tick", "{\"a\":1}\n two"), text("m"), text("")]);
}

#[test]
fn an_event_that_the_end_cuts_off_is_no_message() {
    check(
        Framing::Sse,
        LIMIT,
        b"data: a\n\ndata: {\"half\":",
        &[text("a"), noise("an event that the end of the stream cut off: {\"half\":")],
    );
}

#[test]
fn an_event_over_the_limit_fails_alone() {
    let bytes = format!("data: {}\n\ndata: {}\ndata: b\n\ndata: c\n\n", "a".repeat(8), "a".repeat(9));
    let pieces = play(Framing::Sse, 8, &[bytes.as_bytes()]);
    assert!(matches!(pieces[..], [Piece::Frame(_), Piece::TooLarge { bytes: 9.. }, Piece::Frame(_)]), "{pieces:?}");
    check(Framing::Sse, 8, bytes.as_bytes(), &pieces);
}

#[test]
fn raw_pieces_are_cut_between_characters() {
    let pieces = play(Framing::Raw, 4, &["aé台b".as_bytes()]);
    assert_eq!(pieces, [text("aé"), text("台b")]);
    assert_eq!(play(Framing::Raw, 8, &[b"\xe5\x8f", b"\xb0!"]), [text("台!")]);
    assert_eq!(
        play(Framing::Raw, 8, &[b"ok\xe5\x8f"]),
        [text("ok"), Piece::Frame(FrameData::Bytes(b"\xe5\x8f".to_vec()))]
    );
    assert_eq!(play(Framing::Raw, 8, &[b"\xff\n"]), [Piece::Frame(FrameData::Bytes(b"\xff\n".to_vec()))]);
}

/// Bytes that are likely to hit the edges: newlines, CR, parts of characters, fields.
fn wild() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        Just(b"\n".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"{\"a\":1}".to_vec()),
        Just("台é".as_bytes().to_vec()),
        Just(b"\xe5\x8f".to_vec()),
        Just(b"data: x".to_vec()),
        Just(b"event: e".to_vec()),
        Just(b":".to_vec()),
        Just(b" ".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..40),
    ];
    proptest::collection::vec(word, 0..30).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same_pieces(bytes in wild(), cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..20), limit in 1usize..64) {
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        at.extend([0, bytes.len()]);
        at.sort_unstable();
        let chunks: Vec<&[u8]> = at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        for framing in [Framing::Ndjson, Framing::JsonRpc, Framing::Sse] {
            prop_assert_eq!(play(framing, limit, &chunks), play(framing, limit, &[&bytes]));
        }
        let joined = |pieces: Vec<Piece>| -> Vec<u8> {
            pieces.into_iter().flat_map(|piece| match piece {
                Piece::Frame(FrameData::Text(text)) => text.into_bytes(),
                Piece::Frame(FrameData::Bytes(bytes)) => bytes,
                other => panic!("raw has no {other:?}"),
            }).collect()
        };
        prop_assert_eq!(joined(play(Framing::Raw, limit, &chunks)), bytes);
    }
}
