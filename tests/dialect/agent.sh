# Grumble: an agent that no bundled dialect knows. It runs a command of a kind of its own, tells its mood, and gets tired.
[ "$1" = --acp ] || exit 9
id() { printf '%s' "$1" | sed 's/.*"id":\([0-9]*\),.*/\1/'; }
say() { printf '%s\n' "$1"; }
update() { say "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"update\":$1,\"sessionId\":\"g\"}}"; }

read -r line
say "{\"jsonrpc\":\"2.0\",\"id\":$(id "$line"),\"result\":{\"protocolVersion\":1,\"agentInfo\":{\"name\":\"grumble\",\"version\":\"1.4.0\"}}}"
read -r line
say "{\"jsonrpc\":\"2.0\",\"id\":$(id "$line"),\"result\":{\"sessionId\":\"g\"}}"
read -r line
prompt=$(id "$line")
say '{"jsonrpc":"2.0","method":"_grumble/mood","params":{"mood":"sulky"}}'
say '{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"g","toolCall":{"toolCallId":"c","kind":"_shell","title":"make tea","rawInput":{"line":"make tea"}},"options":[{"optionId":"y","kind":"allow_once","name":"Yes"},{"optionId":"n","kind":"reject_once","name":"No"}]}}'
read -r line
case "$line" in *'"optionId":"y"'*) status=completed ;; *) status=failed ;; esac
update "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\",\"kind\":\"_shell\",\"status\":\"$status\"}"
update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Fine."}}'
say "{\"jsonrpc\":\"2.0\",\"id\":$prompt,\"error\":{\"code\":-32603,\"message\":\"Too much work\",\"data\":{\"tired\":true}}}"
while read -r line; do :; done
