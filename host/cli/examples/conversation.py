#!/usr/bin/env python3
"""A whole conversation: answers an approval and a question, steers, interrupts, says the next thing, and closes.

    conversation.py [ARGUMENTS OF jackfield run]     Python 3.11 and nothing else
"""
import json
import subprocess
import sys

agent = subprocess.Popen(
    ["jackfield", "run", "--json", "--input", "json", *sys.argv[1:]],
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
    text=True,
)


def say(**line):
    agent.stdin.write(json.dumps(line) + "\n")
    agent.stdin.flush()


def answer(request):
    """Allows once what may be allowed, picks the first choice of each question, and closes all else."""
    options = [offer["id"] for offer in request.get("options", []) if offer["verdict"] == "allow_once"]
    if request["subject"] == "approval" and options:
        return {"option": options[0]}
    if request["subject"] == "questions":
        return {"answers": [{"question": q["id"], "values": [q["choices"][0]["value"]]} for q in request["questions"]]}
    return {"dismiss": True}


prompts = ["tool question", "slow", "Thank you."]
steered = False
say(type="message", text=prompts[0])
for line in agent.stdout:
    event = json.loads(line)
    match event["type"]:
        case "request.opened":
            request = event["request"]
            print("asked:", request["subject"])
            say(type="answer", request=request["id"], **answer(request))
        case "item.ended" if event["item"]["kind"] == "assistant_message":
            print("said:", event["item"]["text"][:60])
        case "item.delta" if prompts[0] == "slow" and not steered:
            # It is at work: this goes into its turn.
            steered = True
            say(type="message", text="Come to an end.", delivery="steer")
        case "run.ended" if "joined" in event:
            print("steered")
            say(type="interrupt")
        case "run.ended":
            print("run:", event["status"])
            prompts.pop(0)
            if prompts:
                say(type="message", text=prompts[0])
            else:
                say(type="close")
        case "input.rejected":
            print("rejected:", event["code"], event["message"], file=sys.stderr)
        case "stream.closed":
            print("closed:", event["reason"])
sys.exit(agent.wait())
