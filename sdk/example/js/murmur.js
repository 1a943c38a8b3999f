// Murmur in JavaScript; the same plugin in Rust and in Python is beside it.

import { Plugin, flags, plugin, record, text } from "../../js/jackfield.js";

class Murmur extends Plugin {
  channel = 0;
  /** The command that waits for the program's first word. */
  start = null;
  /** What follows when a message has left the host, by its effect. */
  written = new Map();
  /** The command that opened the turn. */
  turn = null;

  static describe() {
    return record("descriptor", { provider: "murmur", label: "Murmur", declared: declared() });
  }

  command(cx, { op, body: { tag, val } }) {
    if (tag === "start" && val.role === "live") {
      this.channel = cx.spawn("main");
      this.start = op;
      cx.hold(op);
    } else if (tag === "open-thread" && val.cursor != null) {
      cx.fail(op, "not-found", "Murmur remembers nothing.");
    } else if (tag === "open-thread") {
      cx.done(op, "thread", record("thread", { id: "main", state: "idle" }));
    } else if (tag === "send-run" && this.turn !== null) {
      cx.fail(op, "conflict", "Murmur is speaking.");
    } else if (tag === "send-run") {
      this.turn = op;
      this.write(cx, op, "began", { t: "say", text: text(val.content) });
    } else if (tag === "interrupt" && this.turn === null) {
      cx.fail(op, "conflict", "Murmur is silent.");
    } else if (tag === "interrupt") {
      this.write(cx, op, "heard", { t: "stop" });
    } else if (tag === "respond") {
      const allow = val.reply.tag === "chosen" && val.reply.val.optionId === "yes";
      this.write(cx, op, "answered", { t: "answer", id: val.request, allow });
    } else if (tag === "close-thread") {
      cx.done(op, "accepted");
    } // all else is answered `unsupported`
  }

  line(cx, line) {
    switch (line.t) {
      case "ready":
        cx.negotiated({ ...declared(), revision: 1, providerVersion: line.version });
        if (this.start !== null) cx.done(this.start, "accepted");
        this.start = null;
        break;
      case "said":
        cx.delta(null, "assistant", line.text);
        break;
      case "tool":
        cx.item({ id: line.id, status: "running", body: { tag: "tool", val: tool(line) } });
        break;
      case "may":
        cx.event("requests-opened", [
          record("request", {
            id: line.id,
            item: line.tool,
            subject: { tag: "approval", val: tool(line) },
            options: [
              record("offer", { id: "yes", label: "Yes", verdict: "allow-once" }),
              record("offer", { id: "no", label: "No", verdict: "reject-once" }),
            ],
          }),
        ]);
        break;
      case "did": {
        const val = record("tool", { kind: "execute", content: [{ tag: "text", val: line.out }] });
        cx.item({ id: line.id, status: line.ok ? "completed" : "failed", body: { tag: "tool", val } });
        break;
      }
      case "end": {
        const status = line.how === "stopped" ? "interrupted" : "completed";
        cx.event("turn-ended", record("turn-end", { op: this.turn, status, reason: line.how }));
        this.turn = null;
        break;
      }
      default:
        cx.unknown(String(line.t));
    }
  }

  effectDone(cx, { id, outcome }) {
    const next = this.written.get(id);
    if (!next) return super.effectDone(cx, { id, outcome });
    this.written.delete(id);
    if (outcome.tag === "err") {
      if (next.then === "began") this.turn = null;
      cx.answer(next.op, outcome);
    } else if (next.then === "began") {
      cx.done(next.op, "delivered", record("delivery", { how: "opened-turn" }));
      cx.event("turn-started", record("turn-start", { op: next.op }));
    } else if (next.then === "heard") {
      cx.done(next.op, "interrupted", []);
    } else {
      cx.done(next.op, "accepted");
    }
  }

  close(cx) {
    if (this.channel) cx.closeStdin(this.channel);
  }

  write(cx, op, then, message) {
    this.written.set(cx.writeJson(this.channel, message), { op, then });
    cx.hold(op);
  }
}

/** A call as the program tells it. */
function tool(line) {
  const { name, input } = line;
  return record("tool", { kind: "execute", name, title: input.command, input: JSON.stringify(input) });
}

function declared() {
  return flags(
    [
      "threads.can-create-empty-thread",
      "turns.emits-turn-completed",
      "turns.supports-interrupt",
      "streaming.streams-assistant-text",
      "tools.exposes-tool-item-ids",
      "tools.emits-tool-started",
      "tools.emits-tool-completed",
      "tools.emits-tool-output",
      "approvals.supports-command-approval",
      "approvals.approvals-have-native-request-ids",
    ],
    [
      ["turns.terminal-status-quality", "strong"],
      ["identity.native-request-ids", "weak"],
      ["identity.native-item-ids", "weak"],
    ],
  );
}

export const adapter = plugin(Murmur);
