// What authors of Jackfield plugins in JavaScript import: the class to extend, what it speaks through, and makers of records.
//
// A plugin is a state machine: it has no clock, no randomness and no environment, and the same inputs give the same outputs, because
// the host replays them. **Every command is answered exactly once**: one that is forgotten is answered `unsupported`, one that is still
// held at the session's end `cancelled`. What is thrown is written to the host's log and becomes a fault, never a trap: one
// the host gets over; a second one soon after it ends the session.
//
// Records go to the host with all their fields: `record` fills in what may be absent, and refuses a name that the contract does not
// have, which the bindings would drop without a word.

import { log } from "jackfield:provider/diag@0.1.0-draft";
import { RECORDS } from "./contract.js";
import { readObject } from "./lines.js";

const EMPTY = { option: () => undefined, list: () => [], bool: () => false };

/** A record of the contract (`sdk/js/contract.d.ts`), with what was left out: absent, an empty list, or false. */
export function record(name, given) {
  const fields = RECORDS[name];
  if (!fields) throw new TypeError(`the contract has no record ${name}`);
  for (const key of Object.keys(given)) {
    if (!(key in fields)) throw new TypeError(`${name} has no field ${key}; it has ${Object.keys(fields).join(", ")}`);
  }
  const whole = {};
  for (const [key, kind] of Object.entries(fields)) {
    if (given[key] !== undefined && given[key] !== null) whole[key] = valued(given[key], `${name}.${key}`);
    else if (kind in EMPTY) whole[key] = EMPTY[kind]();
    else throw new TypeError(`${name} needs its field ${key}`);
  }
  return whole;
}

/** A case without its value would be a trap without a text, too. */
function valued(value, where) {
  for (const one of Array.isArray(value) ? value : [value]) {
    if (one !== null && typeof one === "object" && "val" in one && one.val === undefined) {
      throw new TypeError(`${where}: the case ${one.tag} needs its value`);
    }
  }
  return value;
}

/** A fault. */
export const fault = (kind, message, more = {}) => record("fault", { kind, message, ...more });

/** A set of capabilities: these flags set, and these words. */
export function flags(names, words = []) {
  const flag = (name) => record("capability", { name, value: { tag: "flag", val: true } });
  const word = ([name, val]) => record("capability", { name, value: { tag: "word", val } });
  return record("capability-set", { revision: 0, capabilities: [...names.map(flag), ...words.map(word)] });
}

/** The text of a message's content, pictures and files left out. */
export function text(content) {
  return content.filter(({ tag }) => tag === "text").map(({ val }) => val).join("\n\n");
}

/** What a plugin extends: one object is one session. Methods are called for one input at a time, in order. */
export class Plugin {
  /** Who the plugin is and what it declares; always the same answer. */
  static describe() {
    throw new TypeError("a plugin has a static describe()");
  }

  /** The host asks for something. Answer with `cx.done` or `cx.fail`, or `cx.hold` it and answer in a later call. */
  command(_cx, _command) {}

  /** A message from a channel; the usual one is a line of JSON. */
  frame(cx, frame) {
    if (frame.pipe === "error") return cx.silent("stderr");
    const line = frame.data.tag === "text" ? readObject(frame.data.val) : null;
    if (line) this.line(cx, line);
    else cx.noise();
  }

  /** An object that stood on a line of stdout. */
  line(cx, _line) {
    cx.noise();
  }

  /** A timer fired. */
  timer(_cx, _timer) {}

  /** The answer to an effect. The usual one ends the session when it failed: nothing is lost silently. */
  effectDone(_cx, { outcome }) {
    if (outcome.tag === "err") throw outcome.val;
  }

  /** A channel ended; no frame of it follows. */
  channelClosed(cx, exit) {
    cx.failHeld(closed(exit));
  }

  /** The session ends now. Effects asked for here are still carried out. */
  close(_cx) {}
}

/** What a component exports: `export const adapter = plugin(MyPlugin)`. */
export function plugin(Provider) {
  class Session {
    #driver = new Driver(new Provider());

    handle(at, inputs) {
      return said(() => this.#driver.handle(at, inputs));
    }
  }
  // `describe` has no answer that could hold a fault: a line that begins so is what the host says of the trap that follows.
  return { describe: () => said(() => Provider.describe(), "panic: "), Session };
}

/** A record that is thrown is the contract's fault; anything else is a bug, and its words would be lost in a trap. */
function said(work, begun = "") {
  try {
    return work();
  } catch (error) {
    if (error && error.kind && error.message && !(error instanceof Error)) throw error;
    const words = error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ""}` : String(error);
    log("error", begun + words);
    throw fault("internal", words.split("\n")[0]);
  }
}

/** Where a plugin's outputs go. It numbers effects, remembers which commands are open, and ties outputs to inputs. */
class Cx {
  cause = 0;
  out = [];
  session = null;
  at = { nowMs: 0, seq: 0 };
  #next = 1;
  /** Open commands, and whether the plugin said that it answers later. */
  #open = new Map();

  /** Milliseconds since 1970, as the host counts them. */
  get nowMs() {
    return this.at.nowMs;
  }

  /** The instance's options. */
  get options() {
    return JSON.parse(this.session?.options.trim() || "{}");
  }

  event(tag, val, scope) {
    this.#push("event", record("event", { scope, body: { tag, val } }));
  }

  item(given, scope) {
    this.event("items", [record("item", given)], scope);
  }

  delta(id, kind, words, scope) {
    this.event("delta", record("delta", { id, kind, whole: false, text: words }), scope);
  }

  negotiated(set) {
    this.#push("negotiated", record("capability-set", set));
  }

  done(op, tag, val) {
    this.answer(op, { tag: "ok", val: val === undefined ? { tag } : { tag, val } });
  }

  fail(op, kind, message, more) {
    this.answer(op, { tag: "err", val: fault(kind, message, more) });
  }

  answer(op, outcome) {
    if (this.#open.delete(op)) this.#push("done", record("op-result", { op, outcome }));
    else this.diagnostic("error", "answered-twice", `command ${op} is not open; its answer was dropped`);
  }

  hold(op) {
    if (this.#open.has(op)) this.#open.set(op, true);
  }

  isOpen(op) {
    return this.#open.has(op);
  }

  failHeld(why) {
    for (const op of [...this.#open.keys()]) this.answer(op, { tag: "err", val: why });
  }

  spawn(profile, holes = []) {
    return this.effect("spawn", record("spawn", { profile, holes }));
  }

  write(channel, words) {
    return this.effect("write", record("write", { channel, data: { tag: "text", val: words } }));
  }

  writeJson(channel, value) {
    return this.write(channel, JSON.stringify(value));
  }

  closeStdin(channel) {
    return this.effect("close-stdin", channel);
  }

  signal(channel, kind) {
    return this.effect("signal", record("signal-send", { channel, kind }));
  }

  timer(ms) {
    return this.effect("timer", ms);
  }

  cancel(effect) {
    this.effect("cancel", effect);
  }

  effect(tag, val) {
    const id = this.#next++;
    this.#push("effect", record("effect", { id, body: { tag, val } }));
    return id;
  }

  silent(kind) {
    this.#push("disposition", { tag: "silent", val: kind });
  }

  unknown(kind) {
    this.#push("disposition", { tag: "unknown", val: kind });
  }

  noise() {
    this.#push("disposition", { tag: "noise" });
  }

  duplicate() {
    this.#push("disposition", { tag: "duplicate" });
  }

  held() {
    this.#push("disposition", { tag: "held" });
  }

  diagnostic(level, code, words) {
    this.#push("diagnostic", record("note", { level, code, text: words }));
  }

  /** For the driver: a command has come. */
  opened({ op, body }) {
    this.#open.set(op, false);
    if (body.tag === "start") this.session = body.val;
  }

  /** For the driver: a command that was neither answered nor held. */
  settle({ op, body }) {
    if (this.#open.get(op) !== false) return;
    const name = body.tag === "other" ? body.val.name : body.tag;
    this.fail(op, "unsupported", `This provider cannot do \`${name}\`.`);
  }

  #push(tag, val) {
    this.out.push(record("caused", { cause: this.cause, output: { tag, val } }));
  }
}

/** Turns a batch of inputs into calls of a plugin, one by one and in order. */
class Driver {
  #cx = new Cx();
  #plugin;

  constructor(one) {
    this.#plugin = one;
  }

  handle(at, inputs) {
    const cx = this.#cx;
    cx.at = at;
    cx.out = [];
    inputs.forEach((input, index) => {
      cx.cause = index;
      this.#one(cx, input);
    });
    return cx.out;
  }

  #one(cx, { tag, val }) {
    switch (tag) {
      case "frame":
        return this.#plugin.frame(cx, val);
      case "command":
        cx.opened(val);
        this.#plugin.command(cx, val);
        return cx.settle(val);
      case "effect-done":
        return this.#plugin.effectDone(cx, val);
      case "timer":
        return this.#plugin.timer(cx, val);
      case "channel-closed":
        return this.#plugin.channelClosed(cx, val);
      case "close":
        this.#plugin.close(cx);
        return cx.failHeld(fault("cancelled", "The session was closed."));
      default:
        return cx.diagnostic("info", "unknown-input", `the host sent \`${val?.name ?? tag}\`, which is new`);
    }
  }
}

/** Why a channel ended, for the commands that waited on it. */
function closed(exit) {
  if (exit.fault) return exit.fault;
  const how =
    exit.signal != null ? `was ended by signal ${exit.signal}` : exit.code != null ? `ended with exit code ${exit.code}` : "ended";
  const tail = exit.stderrTail.trim();
  const words = tail ? `Its last words: ${tail}` : "It said nothing on stderr.";
  return fault("network", `The provider's program ${how}. ${words}`, { retryable: true });
}
