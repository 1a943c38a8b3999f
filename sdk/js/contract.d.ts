// The contract's types as the bindings give and take them. Generated from `wit/` by `cargo xtask codegen`; do not edit.

/** A thing this version has no case for. The receiver keeps and shows it, and answers an unknown command `unsupported`; it is never an error. */
export interface Other {
  /** What it is, in kebab case; prefixed with the publisher (`acme.thing`) until a version of the contract adopts it. */
  name: string;
  /** Its data, one JSON value; `null` when there is none. */
  json: string;
}

/** Names with values, in order: headers, environment, argument holes, chosen settings, extra fields. */
export type Pairs = Array<[string, string]>;

/** Counts with names. */
export type Numbers = Array<[string, number]>;

/** The host's clock for one call; a plugin has no other. */
export interface Tick {
  /** Milliseconds since 1970; never runs backwards within a session. */
  nowMs: number;
  /** Number of this call in the session, from 0. */
  seq: number;
}

/** Kinds of failure. */
export type FaultKind =
  /** The provider cannot do this. If its capability was declared, the host counts a lie. */
  | "unsupported"
  /** The command's own data is wrong: an unknown option, a malformed value. */
  | "invalid"
  /** No such thread, turn, item, request, cursor, file. */
  | "not-found"
  /** It came too late or another one is in the way: the turn has ended, the thread is busy. */
  | "conflict"
  /** A login is missing, wrong or expired. */
  | "auth"
  /** Refused by policy, by a missing grant, or by the provider's own rules. */
  | "denied"
  /** Too many requests for now. */
  | "rate-limit"
  /** An allowance is used up: credit, plan, budget. */
  | "quota"
  /** The conversation does not fit the model's context window. */
  | "context-window"
  /** The model's service is overloaded or failing. */
  | "overloaded"
  /** No connection, or it broke. */
  | "network"
  /** No answer in time. */
  | "timeout"
  /** Cancelled from this side. */
  | "cancelled"
  /** The other side broke its protocol. */
  | "protocol"
  /** A bug in the plugin or the host. */
  | "internal"
  /** None of these: see `code` and `message`. */
  | "unknown";

/** Why something failed: a command, an effect, a turn, or (returned by `handle`) the whole session. */
export interface Fault {
  /** The kind of failure: all that the host decides by. */
  kind: FaultKind;
  /** One or two sentences for a person, without secrets. */
  message: string;
  /** The provider's own code (`-32600`, `usageLimitExceeded`, `529`). */
  code?: string | null;
  /** True when the same attempt may succeed later, unchanged. */
  retryable: boolean;
  /** Earliest moment worth another attempt, in milliseconds from now. */
  retryAfterMs?: number | null;
  /** More facts by name. */
  extra: Pairs;
}

/** How far a turn, an item or a task has come. The last seven end it. */
export type Status =
  /** Announced, not begun. */
  | "pending"
  /** At work. */
  | "running"
  /** Held up by a request that is open. */
  | "waiting"
  /** Ended well. */
  | "completed"
  /** Ended badly. */
  | "failed"
  /** Not done because a person or a rule refused it. */
  | "declined"
  /** Stopped midway. */
  | "interrupted"
  /** Dropped before it began. */
  | "cancelled"
  /** Withdrawn by the provider: not part of the conversation any more. */
  | "retracted"
  /** Ended; how is not known. */
  | "unknown";

/** A picture, a sound or a file. */
export interface Media {
  /** MIME type, `application/octet-stream` when unknown. */
  mime: string;
  /** Name for a person. */
  name?: string | null;
  /** Where it lies: a `file:` path in the workspace, or a link. */
  uri?: string | null;
  /** Its bytes in standard base64, as JSON protocols carry them; absent for a mere link. */
  base64?: string | null;
}

/** A change to one file, as far as the provider tells it. */
export interface FileDiff {
  /** Path, absolute or relative to the workspace. */
  path: string;
  /** The path it had before, when it was moved. */
  movedFrom?: string | null;
  /** Text before; absent for a new file or when only `patch` is known. */
  before?: string | null;
  /** Text after; absent for a deleted file or when only `patch` is known. */
  after?: string | null;
  /** The change as a unified diff. */
  patch?: string | null;
}

/** One piece of a message, of a tool's result, or of what a person sends. */
export type Content =
  /** Plain text or Markdown. */
  | { tag: "text"; val: string }
  /** An image, a sound, a file: embedded, or only named. */
  | { tag: "media"; val: Media }
  /** A change to one file. */
  | { tag: "diff"; val: FileDiff }
  /** Anything else. */
  | { tag: "other"; val: Other };

/** What a thread is doing. */
export type ThreadState =
  /** Known, but not loaded in this session. */
  | "stored"
  /** Ready for a message. */
  | "idle"
  /** A turn is open. */
  | "active"
  /** Closed; it can be resumed. */
  | "closed"
  /** No longer usable; only its history is left. */
  | "broken"
  /** The provider does not tell. */
  | "unknown";

/** A provider's thread, live or on disk. The plugin sends it as an event and as a command's result. */
export interface Thread {
  /** The provider's own id, used in every later command and event. Where the provider has none the plugin makes one up (`main`) */
  /** and declares `identity.native-thread-ids` as `none`. */
  id: string;
  /** All the plugin needs to resume it later, opaque to the host; send it again whenever it changes. */
  cursor?: string | null;
  /** Id of the thread it was forked from, or that its subagent works for. */
  parent?: string | null;
  /** Id of the thread that it takes the place of, when the provider gave the same conversation a new id. */
  replaces?: string | null;
  /** Whether it can take a message. */
  state: ThreadState;
  /** Title for a person. */
  title?: string | null;
  /** First words of the conversation, for a list. */
  preview?: string | null;
  /** Its working folder, an absolute path. */
  folder?: string | null;
  /** Last change, milliseconds since 1970. */
  modifiedMs?: number | null;
  /** More facts by name. */
  extra: Pairs;
}

/** A value that a person may pick, of a setting or of a question. */
export interface Choice {
  /** What is sent when it is picked. */
  value: string;
  /** What is shown. */
  label: string;
  /** A sentence about it. */
  description?: string | null;
  /** More facts by name: `context-window`, `default`, `legacy`, `price`; `asks` says what a person is asked about before each time */
  /** while it is in force: `commands`, `reads`, `changes`, `patches`, with spaces between. Name only what is asked about without exception. */
  extra: Pairs;
}

/** Something that can be chosen for a thread or a session: the model, the mode, the effort, or an option only this provider has. */
/** Well-known names: `model`, `mode`, `effort`, `approvals` (`ask`, `edits`, `auto`, `never`), `sandbox` (`read-only`, `workspace-write`, `none`). */
export interface Setting {
  /** Its name, used to set it. */
  name: string;
  /** Name for a person. */
  label: string;
  /** The value in force; absent when unknown. */
  value?: string | null;
  /** The values offered; empty means free text. */
  choices: Array<Choice>;
  /** More facts by name. */
  extra: Pairs;
}

/** How much a note matters. */
export type Level =
  /** Of use to the plugin's author only. */
  | "debug"
  /** Worth knowing. */
  | "info"
  /** Something is not as it should be. */
  | "warning"
  /** Something failed. */
  | "error";

/** A short statement. As an event it comes from the provider and a person reads it; as a diagnostic it comes from the plugin and its author reads it. */
export interface Note {
  /** How much it matters. */
  level: Level;
  /** What it is about, in kebab case and stable: `deprecated`, `model-rerouted`, `config`, `hook`. */
  code: string;
  /** The statement. */
  text: string;
  /** Why, when something went wrong. */
  fault?: Fault | null;
}

/** The value of a capability. A value of the wrong type counts as the weakest. */
export type CapabilityValue =
  /** Yes or no. */
  | { tag: "flag"; val: boolean }
  /** A number: `context.max-recommended-handoff-chars`, in characters. */
  | { tag: "count"; val: number }
  /** One word of a few: `strong`, `weak`, `none`; `native`, `client-boundary`. */
  | { tag: "word"; val: string }
  /** Anything else. */
  | { tag: "other"; val: Other };

/** One capability. */
export interface Capability {
  /** Its name, `group.flag`. */
  name: string;
  /** Its value. */
  value: CapabilityValue;
}

/** A full set of capabilities. A later set replaces an earlier one whole: what it leaves out is gone. */
export interface CapabilitySet {
  /** Rises by one with each set that the plugin sends in a session; 0 in the descriptor. */
  revision: number;
  /** Version of the provider's program or server, once the handshake has told it. */
  providerVersion?: string | null;
  /** The capabilities, each name once; the weaker of two wins. */
  capabilities: Array<Capability>;
}

/** What the plugin says about itself before any session; must be the same at every call. */
export interface Descriptor {
  /** The provider's slug, `[a-z][a-z0-9-]*`, at most 64 characters. */
  provider: string;
  /** The provider's name for a person. */
  label: string;
  /** The capabilities it declares for the newest version of the provider that it knows. */
  declared: CapabilitySet;
  /** Settings known without asking the provider. */
  settings: Array<Setting>;
  /** More facts by name. */
  extra: Pairs;
}

/** Starting a program. Nothing here can name a program, a variable or an argument that the manifest does not. */
export interface Spawn {
  /** Name of the spawn profile in the manifest. */
  profile: string;
  /** Values for the holes of its argument template, by name; a hole left out drops its argument. */
  holes: Pairs;
}

/** Signals. */
export type SignalKind =
  /** SIGINT. */
  | "interrupt"
  /** SIGTERM. */
  | "terminate"
  /** SIGKILL. */
  | "kill";

/** A signal to a channel's process tree. */
export interface SignalSend {
  /** The channel. */
  channel: number;
  /** Which. */
  kind: SignalKind;
}

/** A path beneath a root. */
export interface FilePath {
  /** Name of the root in the manifest. */
  root: string;
  /** Path relative to it; never leaves it. */
  path: string;
}

/** A part of a file. */
export interface ReadFile {
  /** The file. */
  file: FilePath;
  /** First byte; below zero counts from the end. */
  offset: number;
  /** At most so many bytes. */
  length: number;
}

/** A query of a SQLite file, read-only. */
export interface SqliteQuery {
  /** The file. */
  file: FilePath;
  /** One SELECT. */
  sql: string;
  /** Values for its parameters, in order, as text. */
  params: Array<string>;
}

/** A part of a file. */
export interface FilePart {
  /** The bytes. */
  data: Uint8Array;
  /** Size of the whole file. */
  size: number;
}

/** An entry of a folder. */
export interface Entry {
  /** Its name. */
  name: string;
  /** True for a folder. */
  folder: boolean;
  /** Size in bytes. */
  size: number;
  /** Last change, milliseconds since 1970. */
  modifiedMs: number;
}

/** What a frame or a message holds. */
export type FrameData =
  /** Valid UTF-8: nearly always. */
  | { tag: "text"; val: string }
  /** A server-sent event that has a name: the name, then its data. */
  | { tag: "named"; val: [string, string] }
  /** Anything else. */
  | { tag: "bytes"; val: Uint8Array }
  /** Neither. */
  | { tag: "other"; val: Other };

/** A message to a channel. */
export interface Write {
  /** The channel. */
  channel: number;
  /** The message without its line end, which the host adds. */
  data: FrameData;
}

/** An HTTP request. */
export interface HttpRequest {
  /** Name of the origin in the manifest; the host adds its secrets. */
  origin: string;
  /** The method. */
  method: string;
  /** Path and query, beginning with `/`. */
  path: string;
  /** Headers. */
  headers: Pairs;
  /** The body. */
  body?: FrameData | null;
  /** True to get the body as frames on this channel, as the manifest frames it. */
  streaming: boolean;
}

/** What is wished. */
export type EffectBody =
  /** Start a program by a spawn profile. Done `opened`; its output arrives as frames, its end as `channel-closed`. */
  | { tag: "spawn"; val: Spawn }
  /** Write one message to a channel's stdin. Done `written` when it left the host; on a JSON channel it must be one JSON value. */
  | { tag: "write"; val: Write }
  /** Close the stdin of this channel. Done `written`. */
  | { tag: "close-stdin"; val: number }
  /** Send a signal to the process tree of a channel. Done `written`. */
  | { tag: "signal"; val: SignalSend }
  /** An HTTP request to a granted origin. Done `response`; the body is in it, or streams as frames of this channel. */
  | { tag: "http"; val: HttpRequest }
  /** Fire the input `timer` with this effect's id after so many milliseconds. */
  | { tag: "timer"; val: number }
  /** Read a part of a file beneath a granted root, at most 1 MiB. Done `bytes`. */
  | { tag: "read-file"; val: ReadFile }
  /** List a folder beneath a granted root. Done `entries`. */
  | { tag: "list-folder"; val: FilePath }
  /** Read rows of a SQLite file beneath a granted root. Done `rows`. */
  | { tag: "query-sqlite"; val: SqliteQuery }
  /** Drop the effect with this id if it has not happened; closes its channel if it has one. Not answered. */
  | { tag: "cancel"; val: number }
  /** Anything else. */
  | { tag: "other"; val: Other };

/** One wish. The host answers each with `effect-done`, save `timer`, which answers by firing, and `cancel`. */
export interface Effect {
  /** The plugin's number for it, higher than that of any effect before it in the session; `cancel` needs none of its own. For `spawn` and `http` it is also the number of the channel that opens. */
  id: number;
  /** What is wished. */
  body: EffectBody;
}

/** The head of an HTTP response. */
export interface HttpResponse {
  /** Status code. */
  status: number;
  /** Headers, names in lower case. */
  headers: Pairs;
  /** The body; absent when it streams. */
  body?: FrameData | null;
}

/** What an effect gave. */
export type EffectValue =
  /** The channel is open. */
  | { tag: "opened" }
  /** It left the host. */
  | { tag: "written" }
  /** The head of an HTTP response, and its body unless it streams. */
  | { tag: "response"; val: HttpResponse }
  /** A part of a file. */
  | { tag: "bytes"; val: FilePart }
  /** What a folder holds. */
  | { tag: "entries"; val: Array<Entry> }
  /** Rows, each a JSON array as text. */
  | { tag: "rows"; val: Array<string> }
  /** Anything else. */
  | { tag: "other"; val: Other };

/** The answer to one effect. */
export interface EffectResult {
  /** The effect's id. */
  id: number;
  /** How it went; `denied` when policy or a missing grant refused it. */
  outcome: { tag: "ok"; val: EffectValue } | { tag: "err"; val: Fault };
}

/** The pipes of a channel. */
export type Pipe =
  /** stdout, or the body of an HTTP response. */
  | "main"
  /** stderr. */
  | "error";

/** One message from a channel, cut by the host: a line, a server-sent event, a piece of stderr. */
export interface Frame {
  /** The channel: the id of the effect that opened it. */
  channel: number;
  /** Which of its pipes. */
  pipe: Pipe;
  /** The message, without its line end. */
  data: FrameData;
}

/** The end of a channel; no frame of it follows. */
export interface ChannelExit {
  /** The channel. */
  channel: number;
  /** Exit code of the program. */
  code?: number | null;
  /** Signal that ended it. */
  signal?: number | null;
  /** The last of its stderr, at most 4 KiB. */
  stderrTail: string;
  /** Why it ended, when it was not by itself: the host's watchdog, a broken connection. */
  fault?: Fault | null;
}

/** What a person said. */
export interface UserMessage {
  /** The command that sent it; absent when it did not come from the host. */
  op?: number | null;
  /** False when the provider wrote it in the person's name (a task's notice, a summary). */
  typed: boolean;
  /** What was said. */
  content: Array<Content>;
}

/** What a tool does. */
export type ToolKind =
  /** Reads files. */
  | "read"
  /** Changes files, patches included. */
  | "edit"
  /** Deletes files. */
  | "delete"
  /** Moves files. */
  | "move"
  /** Searches files. */
  | "search"
  /** Runs a command. */
  | "execute"
  /** Fetches from, or searches, the web. */
  | "fetch"
  /** Thinks, plans, keeps a list. */
  | "think"
  /** Starts or directs a subagent or a background task. */
  | "delegate"
  /** Asks the person. */
  | "ask"
  /** Changes the mode. */
  | "switch-mode"
  /** A hook of the provider's. */
  | "hook"
  /** None of these, or not known yet: see `name`. */
  | "unknown";

/** A place in a file. */
export interface Location {
  /** Path, absolute or relative to the workspace. */
  path: string;
  /** Line, from 1. */
  line?: number | null;
}

/** A tool call, as far as it is known. */
export interface Tool {
  /** What it does, as far as a UI cares. */
  kind: ToolKind;
  /** The provider's name of the tool. */
  name?: string | null;
  /** The MCP server it belongs to. */
  server?: string | null;
  /** A line for a person: mostly the command or the file. */
  title?: string | null;
  /** Its input, JSON. */
  input?: string | null;
  /** Files it touches. */
  locations: Array<Location>;
  /** Its result so far, in place of what was told before: texts, diffs, pictures. */
  content: Array<Content>;
  /** The exit code of a command. */
  exitCode?: number | null;
  /** More facts by name: `cwd`, `duration-ms`, `terminal`. */
  extra: Pairs;
}

/** What an item is. */
export type ItemBody =
  /** What a person said: an echo of a command, or history. */
  | { tag: "user"; val: UserMessage }
  /** What the assistant said, whole; may be empty while deltas are on their way. */
  | { tag: "assistant"; val: Array<Content> }
  /** What it thought, whole. */
  | { tag: "reasoning"; val: Array<Content> }
  /** A plan it proposes, as Markdown; accepted or rejected by the answer to a request. */
  | { tag: "proposed-plan"; val: string }
  /** A tool call, a command, a file change, a search, a hook. */
  | { tag: "tool"; val: Tool }
  /** Anything else. */
  | { tag: "other"; val: Other };

/** Something a person sees. */
export interface Item {
  /** The provider's id. Where one of its messages has several parts, add `#` and the part's index; never an id of your own. */
  id?: string | null;
  /** How far it has come. */
  status: Status;
  /** What it is. */
  body: ItemBody;
  /** The provider's resume point after this item, for rollback and fork. */
  mark?: string | null;
  /** More facts by name: `at-ms` (when it happened, for history), `phase`. */
  extra: Pairs;
}

/** What a delta's text is. */
export type TextKind =
  /** The assistant's words. */
  | "assistant"
  /** Its reasoning. */
  | "reasoning"
  /** The provider's summary of its reasoning. */
  | "reasoning-summary"
  /** A proposed plan. */
  | "plan"
  /** The input of a tool call, as raw JSON text. */
  | "tool-input"
  /** What a tool or a command prints. */
  | "tool-output";

/** More text of an item. Two equal deltas are two deltas. */
export interface Delta {
  /** The item's id; absent when it has none: then the open item of this kind is meant. */
  id?: string | null;
  /** What the text is. */
  kind: TextKind;
  /** True when `text` is all of it so far and not only what is new. */
  whole: boolean;
  /** The text. */
  text: string;
}

/** What choosing an option does. The host's rules go by this word, and check it against the guarded exchange in the manifest. */
export type Verdict =
  /** Allows this once. */
  | "allow-once"
  /** Allows it and its like until the session ends. */
  | "allow-session"
  /** Allows it and its like from now on. */
  | "allow-always"
  /** Refuses this once; the turn goes on. */
  | "reject-once"
  /** Refuses it and its like from now on. */
  | "reject-always"
  /** Refuses and stops the turn. */
  | "abort"
  /** Neither allows nor refuses: picks a login method, a variant. */
  | "neutral"
  /** Not known; the host treats it as allowing always. */
  | "unknown";

/** One option that the provider offers. */
export interface Offer {
  /** Its id, sent back in the answer. */
  id: string;
  /** What is shown. */
  label: string;
  /** What choosing it does. */
  verdict: Verdict;
}

/** One question. */
export interface Question {
  /** Its id. */
  id: string;
  /** A word or two above it. */
  header?: string | null;
  /** The question. */
  text: string;
  /** Answers to pick from. */
  choices: Array<Choice>;
  /** More than one may be picked. */
  multiple: boolean;
  /** Own words are welcome. */
  freeText: boolean;
  /** The answer must not be shown or stored. */
  secret: boolean;
  /** JSON Schema of the answer, when the provider gave one. */
  schema?: string | null;
}

/** What a login needs. */
export interface Login {
  /** A page to open. */
  url?: string | null;
  /** A code to type there. */
  code?: string | null;
  /** What to do, for a person. */
  text: string;
}

/** What a request is about. */
export type Subject =
  /** May this tool run? Its call, as far as it is known, even if no item told it before. */
  | { tag: "approval"; val: Tool }
  /** May this plan be carried out? Markdown. */
  | { tag: "plan"; val: string }
  /** Questions to a person. */
  | { tag: "questions" }
  /** A login: a person must do something elsewhere or pick a method. */
  | { tag: "login"; val: Login }
  /** A tool of the host's is called; the host answers, no person is asked. */
  | { tag: "host-tool"; val: Tool }
  /** Anything else. */
  | { tag: "other"; val: Other };

/** Something that waits for an answer. The host answers it with `respond`, exactly once, or never. */
export interface Request {
  /** The provider's id as text, `0` included; made up where it has none. No two open requests of a session share it. */
  id: string;
  /** The item it is about. */
  item?: string | null;
  /** What it is about. */
  subject: Subject;
  /** Why it asks, for a person. */
  reason?: string | null;
  /** What may be chosen, exactly as the provider offers it; the host lets nothing else through. */
  options: Array<Offer>;
  /** What is to be filled in. */
  questions: Array<Question>;
  /** The provider's own request, JSON; absent when it is the frame that caused this. */
  raw?: string | null;
  /** When it expires at the provider, milliseconds since 1970. */
  expiresMs?: number | null;
  /** More facts by name. */
  extra: Pairs;
}

/** The end of a request at the provider. */
export interface RequestEnd {
  /** Its id. */
  id: string;
  /** How it ended: completed (answered), cancelled (withdrawn), failed (the answer was refused), unknown. */
  status: Status;
}

/** An offered option that was picked. */
export interface Chosen {
  /** Id of the option. */
  optionId: string;
  /** Words for the model, mostly with a refusal. */
  note?: string | null;
  /** The tool's input as the person changed it, JSON. */
  input?: string | null;
}

/** The answer to one question. */
export interface Filled {
  /** Id of the question. */
  question: string;
  /** The values picked or typed; JSON values where the question has a schema. */
  values: Array<string>;
}

/** What a tool of the host's gave. */
export interface ToolOutput {
  /** The result for the model. */
  content: Array<Content>;
  /** True when the tool failed. */
  failed: boolean;
}

/** What was answered. */
export type Reply =
  /** One of the offered options. */
  | { tag: "chosen"; val: Chosen }
  /** Answers to the questions, one entry for each that was answered. */
  | { tag: "filled"; val: Array<Filled> }
  /** What the host's tool gave. */
  | { tag: "output"; val: ToolOutput }
  /** Nobody decided: the card was closed or the run is being stopped. Must never be turned into consent. */
  | { tag: "dismissed" }
  /** Anything else. */
  | { tag: "other"; val: Other };

/** The answer to a request. The host sends it only for a request that is open, and only what the request offered. */
export interface Answer {
  /** Id of the request. */
  request: string;
  /** What was answered. */
  reply: Reply;
}

/** Where something happened. */
export interface Scope {
  /** The provider's id of the thread; absent for the session's only one, or for the session itself. */
  thread?: string | null;
  /** The provider's id of the turn; absent for the one that is open, or when the provider has none. */
  turn?: string | null;
  /** Id of the task or tool item inside which it happened: a subagent's transcript. */
  parent?: string | null;
  /** True for history that the provider or a file told again; never shown as live. */
  replayed: boolean;
}

/** The beginning of a turn. */
export interface TurnStart {
  /** The command that opened it; absent when the provider did. */
  op?: number | null;
  /** Why the provider opened it by itself: `task-notification`, `hook`, `schedule`. */
  reason?: string | null;
}

/** The end of a turn. */
export interface TurnEnd {
  /** The command that opened it, where known: it tells turns without ids apart. */
  op?: number | null;
  /** How it ended: completed, failed, interrupted, cancelled or unknown. A success that carries an error is failed. */
  status: Status;
  /** The provider's own word: `end_turn`, `max_tokens`, `refusal`, `max_turns`. */
  reason?: string | null;
  /** Why it failed. */
  fault?: Fault | null;
  /** The provider's resume point after this turn, for rollback and fork. */
  mark?: string | null;
  /** True when background tasks of this turn go on. */
  background: boolean;
  /** More facts by name. */
  extra: Pairs;
}

/** One step of a todo list. */
export interface PlanStep {
  /** What is to be done. */
  text: string;
  /** How far it is. */
  status: Status;
  /** The provider's word for its weight. */
  priority?: string | null;
}

/** The todo list, whole: a step that is not in it is gone. */
export interface Plan {
  /** The provider's id of the list, if it has one. */
  id?: string | null;
  /** Why it changed. */
  explanation?: string | null;
  /** The steps, in order. */
  steps: Array<PlanStep>;
}

/** What a task is. */
export type TaskKind =
  /** An agent of the provider's. */
  | "subagent"
  /** A command. */
  | "shell"
  /** Anything else: see `title`. */
  | "unknown";

/** A subagent, or other work that may outlive its turn. */
export interface Task {
  /** The provider's id. */
  id: string;
  /** What it is. */
  kind: TaskKind;
  /** How far it is. */
  status: Status;
  /** A line for a person. */
  title?: string | null;
  /** The tool item that began it. */
  item?: string | null;
  /** The thread it works in, where the provider gives it one. */
  thread?: string | null;
  /** True when it goes on after its turn. */
  background: boolean;
  /** What came of it, or how it stands. */
  summary?: string | null;
  /** More facts by name: `model`, `prompt`, `output-file`. */
  extra: Pairs;
}

/** What usage numbers are about; the host adds nothing up across spans. */
export type UsageSpan =
  /** One call of the model. */
  | "call"
  /** The turn so far. */
  | "turn"
  /** The thread so far. */
  | "thread"
  /** The provider's session so far. */
  | "session";

/** Tokens and money. Only what the provider told. */
export interface Usage {
  /** What the counts are about. */
  span: UsageSpan;
  /** The counts by name. Well-known, in tokens: `input` (without the caches), `cache-read`, `cache-write`, `output` (reasoning included), `reasoning`, */
  /** `context-used`, `context-window`; and `cost-usd`. */
  counts: Numbers;
}

/** What happened to the context. */
export type ContextEffect =
  /** It is being shortened. */
  | "compacting"
  /** It was shortened. */
  | "compacted"
  /** Shortening failed; it is as before. */
  | "compact-failed"
  /** It was emptied on purpose. */
  | "cleared"
  /** Its newest turns were dropped. */
  | "rewound"
  /** It is gone though nobody asked: the provider began afresh. */
  | "lost";

/** A change of the provider's context. */
export interface ContextChange {
  /** What happened. */
  what: ContextEffect;
  /** The last turn that is left, after `rewound`. */
  turn?: string | null;
  /** Tokens before. */
  tokensBefore?: number | null;
  /** Tokens after. */
  tokensAfter?: number | null;
  /** True when nobody asked for it. */
  automatic: boolean;
  /** The summary that took its place, or why it happened. */
  summary?: string | null;
}

/** Something that a message may name after a slash. */
export interface SlashCommand {
  /** Its name, without the slash. */
  name: string;
  /** What it does. */
  description: string;
  /** What may follow it. */
  hint?: string | null;
  /** More facts by name: `kind` = `command`, `skill`, `agent`. */
  extra: Pairs;
}

/** How an MCP server is. */
export interface McpState {
  /** Its name. */
  name: string;
  /** Pending, running, waiting (for a login), failed, cancelled (switched off) or unknown. */
  status: Status;
  /** Its tools, by name. */
  tools: Array<string>;
  /** What is wrong. */
  message?: string | null;
}

/** One allowance. */
export interface RateLimit {
  /** Its name: `five-hour`, `weekly`, `requests`. */
  name: string;
  /** Part that is used, 0 to 100. */
  usedPercent?: number | null;
  /** When it starts anew, milliseconds since 1970. */
  resetsAtMs?: number | null;
  /** True when nothing is left. */
  reached: boolean;
}

/** The account behind a session. */
export interface Account {
  /** False when a login is needed; absent when unknown. */
  loggedIn?: boolean | null;
  /** Who or what it is, for a person: never a key. */
  label?: string | null;
  /** Its plan. */
  plan?: string | null;
  /** Allowances and how much of them is used. */
  limits: Array<RateLimit>;
  /** More facts by name. */
  extra: Pairs;
}

/** The provider tries again by itself. */
export interface Retry {
  /** Number of the attempt to come, from 1. */
  attempt: number;
  /** At most so many. */
  maxAttempts?: number | null;
  /** Milliseconds until it comes. */
  delayMs?: number | null;
  /** Why. */
  fault: Fault;
}

/** What happened. */
export type EventBody =
  /** More text of an item: the one frequent event. */
  | { tag: "delta"; val: Delta }
  /** Items that began, changed or ended: tell all you know of them, as often as you like. */
  | { tag: "items"; val: Array<Item> }
  /** A turn began, opened by a command or by the provider itself. */
  | { tag: "turn-started"; val: TurnStart }
  /** A turn ended; nothing else ends it. */
  | { tag: "turn-ended"; val: TurnEnd }
  /** Threads that appeared or changed. */
  | { tag: "threads"; val: Array<Thread> }
  /** The todo list, whole. */
  | { tag: "plan"; val: Plan }
  /** Subagents and background tasks that began, changed or ended. */
  | { tag: "tasks"; val: Array<Task> }
  /** Ids of all tasks that run in the background, whole: one that is not here has ended. */
  | { tag: "roster"; val: Array<string> }
  /** A person or the host must answer these before the provider goes on. */
  | { tag: "requests-opened"; val: Array<Request> }
  /** These need no answer any more: answered, withdrawn or expired at the provider. */
  | { tag: "requests-closed"; val: Array<RequestEnd> }
  /** Tokens and money. */
  | { tag: "usage"; val: Usage }
  /** The provider's context was shortened, cut or lost. */
  | { tag: "context"; val: ContextChange }
  /** What the open turn has changed in files so far, whole. */
  | { tag: "changes"; val: Array<FileDiff> }
  /** The settings and their values, whole. */
  | { tag: "settings"; val: Array<Setting> }
  /** Slash commands, skills and agents that a message may name, whole. */
  | { tag: "slash-commands"; val: Array<SlashCommand> }
  /** MCP servers and how they are, whole. */
  | { tag: "mcp-servers"; val: Array<McpState> }
  /** The account behind the session, and how much of its allowance is used. */
  | { tag: "account"; val: Account }
  /** Ops of messages that wait in the provider's own queue, whole and in order. */
  | { tag: "queue"; val: Array<number> }
  /** The provider is trying again by itself. */
  | { tag: "retrying"; val: Retry }
  /** The provider says something that belongs to no item. */
  | { tag: "note"; val: Note }
  /** Anything else. */
  | { tag: "other"; val: Other };

/** One thing that happened, and where. The order of events is the order of the frames they came from. */
export interface Event {
  /** Where; absent for the only thread of the session, the turn that is open in it, its root, live. Leave it out where you can: text comes often. */
  scope?: Scope | null;
  /** What happened. */
  body: EventBody;
}

/** What a session is for. */
export type Role =
  /** Conversations. */
  | "live"
  /** Only listing and reading what is stored; must not start the provider's conversation. */
  | "query";

/** How a session begins. */
export interface StartSession {
  /** What the session is for. */
  role: Role;
  /** The workspace, an absolute path. */
  folder: string;
  /** The instance's options, a JSON object that fits the manifest's schema. */
  options: string;
  /** Number of this native start; a restart of the provider's program has the next one. */
  epoch: number;
  /** 32 hexadecimal digits, new for each session and epoch: the plugin's only source of randomness. */
  seed: string;
  /** Settings in force from the start. */
  selection: Pairs;
  /** More facts by name. */
  extra: Pairs;
}

/** Stopping a turn. */
export interface Interrupt {
  /** The turn to stop, where the provider has turn ids; absent for whichever is open. */
  turn?: string | null;
  /** Leave background tasks running. */
  keepBackground: boolean;
}

/** In whose name a context part speaks. A plugin is only sent the roles that its capabilities accept. */
export type ContextRole =
  /** The system prompt, added to. */
  | "system"
  /** Instructions of the application. */
  | "developer"
  /** As if the person had said it. */
  | "user"
  /** A summary of what happened with another provider. */
  | "handoff";

/** Context that the host gives and no person typed. */
export interface ContextPart {
  /** In whose name it speaks. */
  role: ContextRole;
  /** The text. */
  text: string;
}

/** How a thread is opened. */
export interface OpenThread {
  /** The cursor to resume from; absent to create a thread. */
  cursor?: string | null;
  /** Settings in force in this thread. */
  selection: Pairs;
  /** Context given before the first message. */
  context: Array<ContextPart>;
  /** Its working folder, when it is not the session's. */
  folder?: string | null;
  /** More facts by name. */
  extra: Pairs;
}

/** A person's message. */
export interface Message {
  /** What the person sent. */
  content: Array<Content>;
  /** The open turn it is meant for, when it steers one and the provider has turn ids. */
  turn?: string | null;
  /** Context that goes before it: instructions, a handoff. */
  context: Array<ContextPart>;
  /** Settings for its turn and those after it. */
  selection: Pairs;
  /** A UUID of the host's for this message; pass it on where the provider takes one. */
  uuid: string;
  /** Hand it over even while a turn is open, to wait in the provider's queue. */
  enqueue: boolean;
  /** More facts by name. */
  extra: Pairs;
}

/** Reading a thread's history. */
export interface ReadThread {
  /** The thread's cursor, when it is not open in this session. */
  cursor?: string | null;
  /** Where to go on, from the page before; absent for the newest page. */
  page?: string | null;
  /** At most so many items; a tool call and its result are never parted. */
  limit: number;
}

/** A point in a thread: after a turn, after an item inside a turn, or before the first turn. */
export interface Point {
  /** The last turn before it, or the one it lies in, where the provider has turn ids; absent before the first. */
  turn?: string | null;
  /** The last item before it, by the provider's id, when it lies inside that turn; absent after a whole turn. With neither this */
  /** nor a mark of the item, the point can't be named, and the host does not ask. */
  item?: string | null;
  /** The resume point that the provider gave for it: the item's, else the turn's. */
  mark?: string | null;
  /** How many turns come after that turn; 0 is the last one, or the end of the thread. */
  turnsAfter: number;
}

/** Writing a summary. */
export interface Summarize {
  /** What the summary is for. */
  instructions: string;
  /** At most so many characters. */
  maxChars: number;
}

/** How an MCP server is reached. */
export type McpTransport =
  /** A program that speaks on stdio. */
  | "stdio"
  /** Streamable HTTP. */
  | "http"
  /** The older transport with server-sent events. */
  | "sse"
  /** Another one: see `extra`. */
  | "unknown";

/** An MCP server for the provider to use. Secrets are holes (`${secret:NAME}`), which the host fills in when it writes. */
export interface McpServer {
  /** Its name. */
  name: string;
  /** How it is reached. */
  transport: McpTransport;
  /** The program, or the URL. */
  address: string;
  /** The program's arguments. */
  args: Array<string>;
  /** The program's environment, or headers for every request. */
  values: Pairs;
  /** Tools of it that the provider must not use; `*` for all. */
  disabledTools: Array<string>;
  /** More facts by name. */
  extra: Pairs;
}

/** A tool of the host's that the provider may call. */
export interface ToolSpec {
  /** Its name. */
  name: string;
  /** What it does, for the model. */
  description: string;
  /** JSON Schema of its input. */
  inputSchema: string;
}

/** Which stored threads to list. */
export interface ListThreads {
  /** Only those of this folder. */
  folder?: string | null;
  /** Where to go on, from the list before. */
  page?: string | null;
  /** At most so many. */
  limit: number;
}

/** What to do. What the provider cannot do is answered with a fault of kind `unsupported`, never left open. */
export type CommandBody =
  /** Begin the session; always the first command. Done `accepted` once the provider's handshake is through. */
  | { tag: "start"; val: StartSession }
  /** Create a thread or resume one. Done `thread`. A resume that fails is a fault, never silently a fresh conversation. */
  | { tag: "open-thread"; val: OpenThread }
  /** A person's message that opens a turn. Done `delivered` once the provider took it. */
  | { tag: "send-run"; val: Message }
  /** A message into the turn that is open. Done `delivered` once it is known what became of it. */
  | { tag: "steer-run"; val: Message }
  /** Stop the open turn. Done `interrupted` once the provider heard it, a fault of kind `conflict` when none is open; the turn's end arrives as an event. */
  | { tag: "interrupt"; val: Interrupt }
  /** The answer to an open request. Done `accepted` once its write effect is done; a fault leaves the request open. */
  | { tag: "respond"; val: Answer }
  /** Give the thread's history as events marked `replayed`, oldest first. Done `page`. */
  | { tag: "read-thread"; val: ReadThread }
  /** Make the provider forget all that came after this point. Done `thread`. */
  | { tag: "rollback-thread"; val: Point }
  /** Copy the thread up to this point; a subagent's, by its id, where it has one. Done `thread` with the new one, and its cursor. */
  | { tag: "fork-thread"; val: Point }
  /** Shorten the provider's context; the text says what to keep, empty for the provider's own choice. Done `accepted`. */
  | { tag: "compact-thread"; val: string }
  /** Forget the conversation, keep the thread. Done `thread`, with a new id when the provider made one. */
  | { tag: "clear-thread" }
  /** Let go of the thread; it can be resumed by its cursor. Done `accepted`. */
  | { tag: "close-thread" }
  /** Write a summary of the thread, without a trace in it where the provider can. Done `text`. */
  | { tag: "summarize"; val: Summarize }
  /** Choose values of settings, by name. Done `applied`. */
  | { tag: "set-selection"; val: Pairs }
  /** The MCP servers the provider may use from now on, whole. Done `applied`. */
  | { tag: "set-mcp-servers"; val: Array<McpServer> }
  /** The host's own tools that the provider may call, whole. Done `applied`; calls come as requests. */
  | { tag: "register-tools"; val: Array<ToolSpec> }
  /** End a background task, by its id. Done `accepted`; its end arrives as an event. */
  | { tag: "stop-task"; val: string }
  /** Answer once this task has ended. Done `task`. */
  | { tag: "wait-task"; val: string }
  /** Log in by this method, one of those a login request offered. Done `accepted`; what a person must do arrives as a request. */
  | { tag: "authenticate"; val: string }
  /** Role query: folders that hold conversations of this provider. Done `folders`; none is an empty list. */
  | { tag: "list-folders" }
  /** Role query: stored threads, newest first. Done `threads`; none is an empty list. */
  | { tag: "list-threads"; val: ListThreads }
  /** Models, modes and other settings that a new thread could have. Done `settings`. */
  | { tag: "list-settings" }
  /** Anything else. */
  | { tag: "other"; val: Other };

/** One thing the host asks for. The plugin answers every command exactly once with `done`, in this call or a later one; progress travels in events. */
export interface Command {
  /** Number of this command in the session; never used twice. */
  op: number;
  /** The thread it is about, by the provider's id; absent when it is about the session. */
  thread?: string | null;
  /** What to do. */
  body: CommandBody;
}

/** A page of stored threads. */
export interface ThreadList {
  /** The threads, newest first. */
  threads: Array<Thread>;
  /** Where the next page begins; absent at the end. */
  next?: string | null;
}

/** A folder that holds conversations. */
export interface Folder {
  /** Absolute path. */
  path: string;
  /** How many conversations. */
  threads: number;
  /** Last change, milliseconds since 1970. */
  modifiedMs?: number | null;
}

/** Where a message went. */
export type Delivered =
  /** It opened a turn. */
  | "opened-turn"
  /** It joined the open turn. */
  | "joined-turn"
  /** It waits in the provider's queue; `turn-started` names its op later. */
  | "queued"
  /** It came too late and was dropped. */
  | "stale"
  /** The provider took it and does not tell. */
  | "unknown";

/** What became of a message. */
export interface Delivery {
  /** Where it went. */
  how: Delivered;
  /** The turn it opened or joined, where the provider has turn ids. */
  turn?: string | null;
}

/** When a choice takes hold. */
export type Applies =
  /** At once. */
  | "now"
  /** With the next turn. */
  | "next-turn"
  /** After a restart of the session that resumes the thread; the host does that. */
  | "after-restart"
  /** Only in a new thread; the host hands the conversation over. */
  | "in-new-thread";

/** What a command gave. Which case belongs to which command is said at the command. */
export type OpValue =
  /** Done, or taken on. */
  | { tag: "accepted" }
  /** A thread. */
  | { tag: "thread"; val: Thread }
  /** Stored threads. */
  | { tag: "threads"; val: ThreadList }
  /** Folders that hold conversations. */
  | { tag: "folders"; val: Array<Folder> }
  /** Settings with their choices. */
  | { tag: "settings"; val: Array<Setting> }
  /** What became of a message. */
  | { tag: "delivered"; val: Delivery }
  /** When a choice takes hold. */
  | { tag: "applied"; val: Applies }
  /** The provider heard the interrupt; ops of messages that still wait in its queue. */
  | { tag: "interrupted"; val: Array<number> }
  /** A task that has ended. */
  | { tag: "task"; val: Task }
  /** A text. */
  | { tag: "text"; val: string }
  /** Where the next page of history begins; absent at the end. */
  | { tag: "page"; val: string | null }
  /** Anything else. */
  | { tag: "other"; val: Other };

/** The plugin's answer to one command. */
export interface OpResult {
  /** The command's number. */
  op: number;
  /** How it went. */
  outcome: { tag: "ok"; val: OpValue } | { tag: "err"; val: Fault };
}

/** What the host feeds. */
export type Input =
  /** A message from a channel. */
  | { tag: "frame"; val: Frame }
  /** Something the host asks for; always alone in its batch. */
  | { tag: "command"; val: Command }
  /** The answer to an effect. */
  | { tag: "effect-done"; val: EffectResult }
  /** A timer fired, by its effect's id. */
  | { tag: "timer"; val: number }
  /** A channel ended. */
  | { tag: "channel-closed"; val: ChannelExit }
  /** The session ends now. Effects returned here are still carried out; no input follows. */
  | { tag: "close" }
  /** Anything else; ignore what you do not know. */
  | { tag: "other"; val: Other };

/** What became of a frame that has no other output. Each frame has outputs or one disposition: the host counts. */
export type Disposition =
  /** Kept inside until a later frame completes it. */
  | { tag: "held" }
  /** Seen before. */
  | { tag: "duplicate" }
  /** Not the protocol's: a log line, a banner. */
  | { tag: "noise" }
  /** Understood and of no interest; its kind. */
  | { tag: "silent"; val: string }
  /** Not understood; its kind. The host warns once. */
  | { tag: "unknown"; val: string }
  /** Anything else. */
  | { tag: "other"; val: Other };

/** What the plugin returns. */
export type Output =
  /** Something happened at the provider. */
  | { tag: "event"; val: Event }
  /** Something the plugin wishes for. */
  | { tag: "effect"; val: Effect }
  /** The answer to a command. */
  | { tag: "done"; val: OpResult }
  /** What this provider can do in this session; replaces what was declared, up or down. */
  | { tag: "negotiated"; val: CapabilitySet }
  /** What became of a frame that has no other output. */
  | { tag: "disposition"; val: Disposition }
  /** A word to the plugin's author; no user sees it. */
  | { tag: "diagnostic"; val: Note }
  /** Anything else. */
  | { tag: "other"; val: Other };

/** An output and the input that caused it. */
export interface Caused {
  /** Index of that input in the batch. */
  cause: number;
  /** The output. */
  output: Output;
}
