"""What the SDK says to an author, on his own machine: with the bindings beside it, and a log instead of the host's.

`tests/tests/guests/main.rs` runs it; by hand see `sdk/python/README.md`. What a component says is held against the other languages there.
"""

import pathlib
import unittest

from wit_world.imports import diag

LOG = []
diag.log = lambda level, text: LOG.append((level.name, text))

import adapter  # noqa: E402
from jackfield import Plugin, plugin, read_object, record, to_json  # noqa: E402
from jackfield import contract as c  # noqa: E402
from jackfield import world  # noqa: E402


class Small(Plugin):
    """Does what its message says."""

    @staticmethod
    def describe():
        return record(c.Descriptor, provider="small", label="Small", declared=record(c.CapabilitySet, revision=0))

    def command(self, cx, command):
        match command.body:
            case c.CommandBody_SendRun(message):
                self.do(cx, command.op, message.uuid)
            case c.CommandBody_CloseThread():
                cx.hold(command.op)

    def do(self, cx, op, what):
        match what:
            case "twice":
                cx.done(op, c.OpValue_Accepted())
                cx.done(op, c.OpValue_Accepted())
            case "bug":
                cx.done(op, {}["name"])
            case "value":
                cx.delta(None, c.TextKind.ASSISTANT, None)
            case "list":
                cx.done(op, c.OpValue_Interrupted((1,)))
            case "case":
                cx.done(op, c.EffectValue_Opened())
            case "flag":
                cx.timer(True)
            case "large":
                cx.close_stdin(2**32)
            case "half":
                cx.write(1, "\ud83d")
            case "cancel":
                cx.delta(None, c.TextKind.ASSISTANT, str([cx.timer(1.0), cx.cancel(1)]))
            case "no fault":
                raise c.Err("over")
            case "fault":
                raise c.Err(record(c.Fault, kind=c.FaultKind.AUTH, message="Log in."))


plugin(Small)


def command(body, op=1):
    return c.Input_Command(c.Command(op, None, body))


def run(what):
    body = c.CommandBody_SendRun(record(c.Message, uuid=what))
    return adapter.Session().handle(c.Tick(0.0, 0), [command(body)])


class Session(unittest.TestCase):
    def setUp(self):
        LOG.clear()

    def fault(self, what):
        with self.assertRaises(c.Err) as raised:
            run(what)
        return raised.exception.value

    def test_a_forgotten_command_is_unsupported_and_names_itself(self):
        [caused] = run("nothing")
        self.assertEqual(caused.output.value.outcome.value.message, "This provider cannot do `send-run`.")

    def test_the_second_answer_is_dropped_and_said(self):
        kinds = [type(caused.output).__name__ for caused in run("twice")]
        self.assertEqual(kinds, ["Output_Done", "Output_Diagnostic"])

    def test_each_wish_has_a_number_its_cancel_too(self):
        said = [caused.output.value for caused in run("cancel")]
        self.assertEqual([wish.id for wish in said[:2]], [1, 2])
        self.assertEqual(said[2].body.value.text, "[1, 2]")

    def test_a_held_command_is_cancelled_at_the_end(self):
        inputs = [command(c.CommandBody_CloseThread()), c.Input_Close()]
        [caused] = adapter.Session().handle(c.Tick(0.0, 0), inputs)
        self.assertEqual((caused.cause, caused.output.value.outcome.value.kind), (1, c.FaultKind.CANCELLED))

    def test_a_bug_is_a_fault_and_its_place_is_in_the_log(self):
        fault = self.fault("bug")
        self.assertEqual((fault.kind, fault.message), (c.FaultKind.INTERNAL, "KeyError: 'name'"))
        [(level, text)] = LOG
        self.assertEqual(level, "ERROR")
        self.assertIn("test_sdk.py", text)

    def test_a_fault_that_is_raised_is_the_sessions(self):
        self.assertEqual((self.fault("fault").kind, LOG), (c.FaultKind.AUTH, []))

    def test_a_wrong_value_is_named_before_the_bindings_would_trap(self):
        for what, words in {
            "value": "TypeError: Delta.text is None, and should be str",
            "list": "TypeError: OpValue_Interrupted.value is (1,), and should be a list",
            "case": "TypeError: Ok.value is EffectValue_Opened(), and should be OpValue_Accepted or",
            "flag": "TypeError: EffectBody_Timer.value is True, and should be float",
            "large": "TypeError: EffectBody_CloseStdin.value is 4294967296, and should be a number of 32 bits",
            "no fault": "TypeError: a value is 'over', and should be Fault",
            "half": "TypeError: FrameData_Text.value is '\\ud83d', and should be whole characters",
        }.items():
            with self.subTest(what):
                self.assertTrue(self.fault(what).message.startswith(words), self.fault(what).message)

    def test_describe_names_what_is_wrong_and_traps(self):
        good, Small.describe = Small.describe, staticmethod(lambda: c.Descriptor("small", None, None, [], []))
        with self.assertRaises(TypeError):
            plugin(Small)().describe()
        Small.describe = good
        self.assertTrue(LOG[0][1].startswith("panic: TypeError: Descriptor.label is None, and should be str"), LOG)


class Readme(unittest.TestCase):
    def tearDown(self):
        plugin(Small)

    def test_its_plugin_answers_a_message(self):
        page = pathlib.Path(__file__).parent.with_name("README.md").read_text("utf-8")
        source = page.split("```python\n")[1].split("```")[0]
        exec(compile(source, "README.md", "exec"), {"__name__": "parrot"})
        hello = record(c.Message, uuid="", content=[c.Content_Text("hello")])
        said = adapter.Session().handle(c.Tick(0.0, 0), [command(c.CommandBody_SendRun(hello))])
        kinds = [type(getattr(caused.output.value, "body", caused.output)).__name__ for caused in said]
        self.assertEqual(kinds, ["Output_Done", "EventBody_TurnStarted", "EventBody_Items", "EventBody_TurnEnded"])


class Records(unittest.TestCase):
    def test_what_is_left_out_is_filled_in_anew_each_time(self):
        one, other = record(c.Tool, kind=c.ToolKind.EXECUTE), record(c.Tool, kind=c.ToolKind.EXECUTE)
        self.assertEqual((one.name, one.content), (None, []))
        self.assertIsNot(one.content, other.content)

    def test_a_name_that_there_is_not_and_a_field_that_lacks_are_named(self):
        with self.assertRaisesRegex(TypeError, "Tool has no field titel; it has kind, name, "):
            record(c.Tool, kind=c.ToolKind.EXECUTE, titel="x")
        with self.assertRaisesRegex(TypeError, "Tool needs its field kind"):
            record(c.Tool)


class Lines(unittest.TestCase):
    def test_what_is_no_object_is_noise(self):
        for line in ["", "17", "[]", "null", "banner", '{"a":', "{'a':1}", '{"a":NaN}', '{"a":1} {"a":1}', "\ufeff{}"]:
            self.assertIsNone(read_object(line), line)

    def test_a_number_that_is_too_large_is_noise(self):
        for number in ["1e400", "-1e309", "1" + "0" * 309, "-" + "9" * 400, "0." + "1" * 400 + "e999"]:
            self.assertIsNone(read_object('{"n":[%s]}' % number), number)
        for number in ["1e308", "0e400", "1e-400"]:
            self.assertEqual(read_object('{"n":%s}' % number), {"n": float(number)}, number)
        for number in [2**64 - 1, 10**308]:
            self.assertEqual(read_object('{"n":%d}' % number), {"n": number})
        with self.assertRaises(ValueError):
            to_json({"n": float("inf")})

    def test_half_a_character_is_noise(self):
        for line in [r'{"a":"\ud83d"}', r'{"a":["\uDE00"]}', r'{"\ud83d":1}']:
            self.assertIsNone(read_object(line), line)
        self.assertEqual(read_object(r'{"a":"\ud83d\ude00","b":"\\ud83d"}'), {"a": "😀", "b": r"\ud83d"})

    def test_what_is_nested_too_deep_is_noise(self):
        def nested(deep):
            return '{"a":' * deep + "1" + "}" * deep

        self.assertIsNotNone(read_object(nested(127)))
        self.assertIsNone(read_object(nested(128)))
        self.assertIsNotNone(read_object('{"a":"' + "[" * 500 + r"\"" + "{" * 500 + '"}'))
        self.assertIsNone(read_object(r'{"a":"\\","b":' + "[" * 200))

    def test_a_text_that_is_cut_is_looked_through_once(self):
        # Looked through once for each of its marks, a megabyte would take hours.
        for end in ["", "\\"]:
            self.assertIsNone(read_object('{"a":' + "[]" * 200 + '"' + r"\"" * 500_000 + end))
            self.assertIsNone(read_object('{"a":"' + "[" * 200 + r"\"" * 500_000 + end))

    def test_what_is_written_keeps_its_characters(self):
        self.assertEqual(to_json({"a": "ü\n", "b": [1, None]}), r'{"a":"ü\n","b":[1,null]}')


class World(unittest.TestCase):
    def test_what_is_printed_goes_to_the_log_line_by_line(self):
        LOG.clear()
        printed = world._Printed()
        print("one", 2, file=printed)
        print("half ", end="", file=printed)
        print("and half\n", file=printed)
        self.assertEqual(LOG, [("DEBUG", "one 2"), ("DEBUG", "half and half"), ("DEBUG", "")])

    def test_a_late_import_says_what_to_do(self):
        with self.assertRaisesRegex(ModuleNotFoundError, "csv was not imported when the component was built"):
            world._Late.find_spec("csv")


if __name__ == "__main__":
    unittest.main()
