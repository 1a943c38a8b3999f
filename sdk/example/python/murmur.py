"""Murmur in Python; the same plugin in Rust and in JavaScript is beside it."""

from jackfield import Plugin, flags, plugin, record, text, to_json
from jackfield.contract import (
    CommandBody_CloseThread,
    CommandBody_Interrupt,
    CommandBody_OpenThread,
    CommandBody_Respond,
    CommandBody_SendRun,
    CommandBody_Start,
    Content_Text,
    Delivered,
    Delivery,
    Descriptor,
    Err,
    EventBody_RequestsOpened,
    EventBody_TurnEnded,
    EventBody_TurnStarted,
    FaultKind,
    ItemBody_Tool,
    Offer,
    OpValue_Accepted,
    OpValue_Delivered,
    OpValue_Interrupted,
    OpValue_Thread,
    Reply_Chosen,
    Request,
    Role,
    Status,
    Subject_Approval,
    TextKind,
    Thread,
    ThreadState,
    Tool,
    ToolKind,
    TurnEnd,
    TurnStart,
    Verdict,
)


class Murmur(Plugin):
    def __init__(self):
        self.channel = 0
        # The command that waits for the program's first word.
        self.start = None
        # What follows when a message has left the host, by its effect.
        self.written = {}
        # The command that opened the turn.
        self.turn = None

    @staticmethod
    def describe():
        return record(Descriptor, provider="murmur", label="Murmur", declared=declared())

    def command(self, cx, command):
        op = command.op
        match command.body:
            case CommandBody_Start(start) if start.role == Role.LIVE:
                self.channel = cx.spawn("main")
                self.start = op
                cx.hold(op)
            case CommandBody_OpenThread(opened) if opened.cursor is not None:
                cx.fail(op, FaultKind.NOT_FOUND, "Murmur remembers nothing.")
            case CommandBody_OpenThread(_):
                cx.done(op, OpValue_Thread(record(Thread, id="main", state=ThreadState.IDLE)))
            case CommandBody_SendRun(_) if self.turn is not None:
                cx.fail(op, FaultKind.CONFLICT, "Murmur is speaking.")
            case CommandBody_SendRun(message):
                self.turn = op
                self.write(cx, op, "began", {"t": "say", "text": text(message.content)})
            case CommandBody_Interrupt(_) if self.turn is None:
                cx.fail(op, FaultKind.CONFLICT, "Murmur is silent.")
            case CommandBody_Interrupt(_):
                self.write(cx, op, "heard", {"t": "stop"})
            case CommandBody_Respond(answer):
                allow = isinstance(answer.reply, Reply_Chosen) and answer.reply.value.option_id == "yes"
                self.write(cx, op, "answered", {"t": "answer", "id": answer.request, "allow": allow})
            case CommandBody_CloseThread():
                cx.done(op, OpValue_Accepted())
            case _:
                pass  # answered `unsupported`

    def line(self, cx, line):
        match line.get("t"):
            case "ready":
                known = declared()
                known.revision, known.provider_version = 1, line.get("version")
                cx.negotiated(known)
                if self.start is not None:
                    cx.done(self.start, OpValue_Accepted())
                self.start = None
            case "said":
                cx.delta(None, TextKind.ASSISTANT, line["text"])
            case "tool":
                cx.item(id=line["id"], status=Status.RUNNING, body=ItemBody_Tool(tool(line)))
            case "may":
                options = [Offer("yes", "Yes", Verdict.ALLOW_ONCE), Offer("no", "No", Verdict.REJECT_ONCE)]
                subject = Subject_Approval(tool(line))
                request = record(Request, id=line["id"], item=line["tool"], subject=subject, options=options)
                cx.event(EventBody_RequestsOpened([request]))
            case "did":
                done = record(Tool, kind=ToolKind.EXECUTE, content=[Content_Text(line["out"])])
                status = Status.COMPLETED if line["ok"] else Status.FAILED
                cx.item(id=line["id"], status=status, body=ItemBody_Tool(done))
            case "end":
                status = Status.INTERRUPTED if line["how"] == "stopped" else Status.COMPLETED
                cx.event(EventBody_TurnEnded(record(TurnEnd, op=self.turn, status=status, reason=line["how"])))
                self.turn = None
            case other:
                cx.unknown(str(other))

    def effect_done(self, cx, result):
        if result.id not in self.written:
            return super().effect_done(cx, result)
        op, then = self.written.pop(result.id)
        if isinstance(result.outcome, Err):
            if then == "began":
                self.turn = None
            cx.answer(op, result.outcome)
        elif then == "began":
            cx.done(op, OpValue_Delivered(record(Delivery, how=Delivered.OPENED_TURN)))
            cx.event(EventBody_TurnStarted(record(TurnStart, op=op)))
        elif then == "heard":
            cx.done(op, OpValue_Interrupted([]))
        else:
            cx.done(op, OpValue_Accepted())

    def close(self, cx):
        if self.channel:
            cx.close_stdin(self.channel)

    def write(self, cx, op, then, message):
        self.written[cx.write_json(self.channel, message)] = (op, then)
        cx.hold(op)


def tool(line):
    """A call as the program tells it."""
    name, given = line["name"], line["input"]
    return record(Tool, kind=ToolKind.EXECUTE, name=name, title=given["command"], input=to_json(given))


def declared():
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
            ("turns.terminal-status-quality", "strong"),
            ("identity.native-request-ids", "weak"),
            ("identity.native-item-ids", "weak"),
        ],
    )


Adapter = plugin(Murmur)
