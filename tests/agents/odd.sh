# An agent that nobody has seen: it speaks the protocol its own way, and checks what it is told. Exit codes name what went wrong.
[ "$1" = --stdio ] && [ "$2" = "two words" ] || exit 9
id() { printf '%s' "$1" | sed 's/.*"id":\([0-9]*\),.*/\1/'; }
say() { printf '%s\n' "$1"; }

say 'Odd Agent 0.3, starting'
printf '\033[2J\r\n42\n'
read -r line
case "$line" in *'"protocolVersion":1'*) ;; *) exit 11 ;; esac
say "{\"id\":$(id "$line"),\"level\":\"info\",\"message\":\"a log line with our id\"}"
# No `jsonrpc`, no capabilities, no name.
say "{\"result\":{\"protocolVersion\":1,\"agentCapabilities\":null},\"id\":$(id "$line")}"

read -r line
case "$line" in *'"method":"session/new"'*'"mcpServers":[]'*) ;; *) exit 12 ;; esac
say '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"odd/1","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"dance"}]}}}'
say "{\"jsonrpc\":\"2.0\",\"id\":$(id "$line"),\"result\":{\"sessionId\":\"odd/1\",\"configOptions\":[{\"id\":\"mood\",\"name\":\"Mood\",\"category\":\"_odd\",\"type\":\"select\",\"currentValue\":\"calm\",\"options\":[{\"value\":\"calm\",\"name\":\"Calm\"}]}]}}"

read -r line
prompt=$(id "$line")
update() { say "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"update\":$1,\"sessionId\":\"odd/1\"}}"; }
refused() { read -r line; case "$line" in *-32601*"$1"* | *"$1"*-32601*) ;; *) exit 13 ;; esac; }
# Files were not offered; a method that nobody knows; ids of two types.
say '{"jsonrpc":"2.0","id":"0","method":"fs/write_text_file","params":{"sessionId":"odd/1","path":"/x","content":"y"}}'
refused '"id":"0"'
say '{"jsonrpc":"2.0","id":0,"method":"_odd/ask","params":{}}'
refused '"id":0'
say '{"jsonrpc":"2.0","method":"_odd/heartbeat","params":{}}'
update '{"sessionUpdate":"odd_update","what":"ever"}'
update '{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hm."}}'
# A result without a start.
update '{"sessionUpdate":"tool_call_update","toolCallId":"look","status":"completed","rawOutput":"seen"}'
# A call that is first seen in its permission, under an id that a call of ours has had.
say '{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"odd/1","toolCall":{"toolCallId":"act","title":"paint it black","kind":"execute"},"options":[{"optionId":"never ever","kind":"reject_always","name":"Never"},{"optionId":"as you like","kind":"allow_once","name":"As you like"},{"optionId":"no","kind":"reject_once","name":"No"}]}}'
read -r line
case "$line" in
*'"optionId":"as you like"'*) said='It was allowed.' done=completed ;;
*'"optionId":"no"'*) said='It was refused.' done=failed ;;
*) exit 14 ;;
esac
update "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"act\",\"status\":\"$done\"}"
update "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"$said\"}}"
say "{\"jsonrpc\":\"2.0\",\"id\":$prompt,\"result\":{\"stopReason\":\"end_turn\"}}"
# It does not end with its stdin before a while.
while read -r line; do :; done
sleep 1
