//! What a person must be shown of a conversation, whoever computed it: the judge compares two of these.

/// Texts and tools, in the order in which they began.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Told {
    /// What the assistant said. A subagent's words are `nested`.
    pub assistant: Vec<Said>,
    /// What it thought.
    pub reasoning: Vec<Said>,
    /// What the provider said in the person's name.
    pub in_the_persons_name: Vec<Said>,
    /// How many tools were called; a proposed plan is none.
    pub tools: usize,
    /// How many plans were proposed.
    pub plans: usize,
    /// What tools gave, each text.
    pub results: Vec<String>,
    /// What a run's end or a note must tell: errors, and what was printed between turns.
    pub errors: Vec<String>,
    /// How many requests a person got.
    pub requests: usize,
    /// How the turns ended, in order: true when well.
    pub ends: Vec<bool>,
}

/// A text.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// True inside of a subagent.
    pub nested: bool,
    /// The words.
    pub text: String,
}

impl Told {
    /// Adds what another part of the conversation told.
    pub fn extend(&mut self, other: Told) {
        self.assistant.extend(other.assistant);
        self.reasoning.extend(other.reasoning);
        self.in_the_persons_name.extend(other.in_the_persons_name);
        self.results.extend(other.results);
        self.errors.extend(other.errors);
        (self.tools, self.plans) = (self.tools + other.tools, self.plans + other.plans);
        self.requests += other.requests;
        self.ends.extend(other.ends);
    }
}
