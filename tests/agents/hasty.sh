# An agent that speaks before it is asked: string ids, words of a conversation before anybody knows it, options that it takes back and tells anew,
# an MCP server of its own, a form, pieces without a kind, and its end is not its program's.
id() { printf '%s' "$1" | sed 's/.*"id":\([0-9]*\),.*/\1/'; }
say() { printf '%s\r\n' "$1"; }
update() { say "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"h\",\"update\":$1}}"; }
answer() { say "{\"jsonrpc\":\"2.0\",\"result\":$2,\"id\":$(id "$1")}"; }
heard() { case "$line" in *"$1"*) ;; *) exit "$2" ;; esac; }
mood() { printf '[{"id":"mood","name":"Mood","category":"mode","type":"select","currentValue":"%s","options":[{"group":"g","name":"All","options":[{"value":"calm","name":"Calm"},{"value":"angry","name":"Angry"}]}]},{"id":"loud","name":"Loud","type":"boolean","currentValue":false}]' "$1"; }

read -r line
heard '"configOptions":{"boolean":{}}' 11
answer "$line" '{"protocolVersion":1,"agentCapabilities":{"loadSession":"yes","promptCapabilities":{"image":true},"mcpCapabilities":{"acp":true}},"authMethods":"none","agentInfo":{"version":7}}'
read -r line
heard '"method":"session/new"' 12
update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Good morning. "}}'
update '{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"hurry"},5,{"description":"of no name"}]}'
# A server of its own: nothing is offered for that.
new=$line
say '{"jsonrpc":"2.0","id":"mcp-1","method":"mcp/connect","params":{"acpId":"x"}}'
read -r line
heard '"id":"mcp-1"' 13
heard '-32601' 14
answer "$new" "{\"sessionId\":\"h\",\"configOptions\":$(mood calm)}"

read -r line
heard '"method":"session/set_config_option"' 15
heard '"configId":"mood"' 16
answer "$line" "{\"configOptions\":$(mood angry)}"
read -r line
heard '"method":"session/prompt"' 17
prompt=$line
say '{"jsonrpc":"2.0","id":"form-1","method":"elicitation/create","params":{"sessionId":"h","mode":"form","message":"How many?","requestedSchema":{"properties":{"count":{"type":"integer"}},"required":["count"]}}}'
read -r line
heard '"id":"form-1"' 18
heard '"action":"' 19
update '{"sessionUpdate":"config_option_update","configOptions":[]}'
update '{"sessionUpdate":"plan","entries":[{"content":"hurry","status":"in_progress"}]}'
# The same call, told three times as it begins, and once more after its end.
for status in pending in_progress in_progress completed; do
    update "{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"t\",\"kind\":\"read\",\"title\":\"read it\",\"status\":\"$status\"}"
done
update '{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","rawOutput":{"output":"all of it"}}'
update '{"sessionUpdate":"agent_message_chunk","content":{"type":"resource","resource":{"uri":"mem://x","text":"Embedded. "}}}'
update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done in a hurry."}}'
answer "$prompt" '{"stopReason":"end_turn","usage":{"inputTokens":"many","outputTokens":3}}'
update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":" And out."}}'
exit 0
