//! The cursor: what opens a conversation again, as one text that the host keeps and does not read.
//!
//! `S` is the whole conversation, `S@M` the conversation up to the message M, and `S@M>N` a copy of that under the new id N.
//! **What the cursor leaves out stays left out**: a conversation that was cut back is opened cut back until the program has written
//! more of it, and a copy begins where it was made, however far the original has gone on. Tests: below, and `tests/branches.rs`.

/// A place in a stored conversation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cursor {
    /// The session that the program has on disk.
    pub session: String,
    /// The last message that counts; without it all of them do.
    pub at: Option<String>,
    /// The id of the copy that is to be made.
    pub copy: Option<String>,
}

impl Cursor {
    /// The whole of a session.
    pub(crate) fn whole(session: impl Into<String>) -> Self {
        Cursor { session: session.into(), at: None, copy: None }
    }

    /// Reads a cursor of ours. Whether its parts are ids is checked where they become arguments.
    pub(crate) fn read(text: &str) -> Self {
        let (rest, copy) = split(text, '>');
        let (session, at) = split(rest, '@');
        Cursor { session: session.to_owned(), at, copy }
    }

    /// As the host keeps it.
    pub(crate) fn write(&self) -> String {
        let part =
            |sign: &str, part: &Option<String>| part.as_ref().map(|id| format!("{sign}{id}")).unwrap_or_default();
        format!("{}{}{}", self.session, part("@", &self.at), part(">", &self.copy))
    }

    /// The id that the conversation has once it is open.
    pub(crate) fn id(&self) -> &str {
        self.copy.as_deref().unwrap_or(&self.session)
    }

    /// The values of the program's arguments.
    pub(crate) fn holes(&self) -> impl Iterator<Item = (String, String)> {
        let named = [("resume", Some(self.session.clone())), ("at", self.at.clone()), ("copy", self.copy.clone())];
        named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)))
    }
}

fn split(text: &str, sign: char) -> (&str, Option<String>) {
    match text.split_once(sign) {
        Some((before, after)) => (before, Some(after.to_owned())),
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_as_it_was_written() {
        for text in ["s", "s@m", "s@m>n", "s>n"] {
            assert_eq!(Cursor::read(text).write(), text);
        }
        let copy = Cursor::read("s@m>n");
        assert_eq!((copy.session.as_str(), copy.id()), ("s", "n"));
        let holes: Vec<_> = copy.holes().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(holes, ["resume=s", "at=m", "copy=n"]);
        assert_eq!(Cursor::whole("s").holes().count(), 1);
    }
}
