# An agent that announces each call before it asks: as `pending`, without its input, and never as `in_progress`. The frames of the first call are
# those of Qwen Code 0.24.4. Given `--asks-once`, it asks about the first call and does the second without a question. Given `--stops`, it ends its
# turn as cancelled where it is refused, and tells a result as codex-acp 0.16.0 does.
id() { printf '%s' "$1" | sed 's/.*"id":\([0-9]*\),.*/\1/'; }
say() { printf '%s\n' "$1"; }
update() { say "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"a\",\"update\":$1}}"; }

read -r line
say "{\"jsonrpc\":\"2.0\",\"id\":$(id "$line"),\"result\":{\"protocolVersion\":1,\"agentInfo\":{\"name\":\"announcer\",\"version\":\"0.1\"}}}"
read -r line
say "{\"jsonrpc\":\"2.0\",\"id\":$(id "$line"),\"result\":{\"sessionId\":\"a\"}}"
read -r line
prompt=$(id "$line")
update '{"sessionUpdate":"tool_call","toolCallId":"one","status":"pending","title":"Shell","content":[],"locations":[],"kind":"execute","rawInput":{},"_meta":{"toolName":"run_shell_command","phase":"preparing"}}'
update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""},"_meta":{"usage":{"inputTokens":100}}}'
say '{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"a","options":[{"optionId":"proceed_once","name":"Allow","kind":"allow_once"},{"optionId":"proceed_once_and_switch_to_default","name":"Switch to Default Mode and allow once (recommended)","kind":"allow_once"},{"optionId":"cancel","name":"Reject","kind":"reject_once"}],"toolCall":{"toolCallId":"one","status":"pending","title":"touch made-by-shell.txt (Make a file)","content":[],"locations":[],"kind":"execute","rawInput":{"command":"touch made-by-shell.txt"}}}}'
read -r line
case "$line" in *'"optionId":"proceed_once"'*) done=completed ;; *) done=failed ;; esac
if [ "$3" = --stops ] && [ $done = failed ]; then
    say "{\"jsonrpc\":\"2.0\",\"id\":$prompt,\"result\":{\"stopReason\":\"cancelled\"}}"
    exec cat >/dev/null
fi
[ "$3" != --stops ] || update '{"sessionUpdate":"tool_call_update","toolCallId":"one","status":"completed","rawOutput":{"call_id":"one","command":["/bin/bash","-lc","x"],"stdout":"hi-from-42\n","aggregated_output":"hi-from-42\n","formatted_output":"hi-from-42\n","exit_code":0}}'
[ "$3" = --stops ] || update "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"one\",\"status\":\"$done\",\"content\":[]}"
if [ "$3" = --asks-once ]; then
    update '{"sessionUpdate":"tool_call","toolCallId":"two","status":"pending","title":"Shell","content":[],"locations":[],"kind":"execute","rawInput":{}}'
    update '{"sessionUpdate":"tool_call_update","toolCallId":"two","status":"completed","content":[]}'
fi
# Announced, and never heard of again: it did not work.
update '{"sessionUpdate":"tool_call","toolCallId":"three","status":"pending","title":"read it","content":[],"locations":[],"kind":"read","rawInput":{}}'
update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"That was it."}}'
say "{\"jsonrpc\":\"2.0\",\"id\":$prompt,\"result\":{\"stopReason\":\"end_turn\"}}"
while read -r line; do :; done
