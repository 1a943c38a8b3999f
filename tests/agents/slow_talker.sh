# An agent with another temper: no capabilities, numbers as floats, ids that count from 0 like ours, every piece one letter, several messages told
# apart by their ids, an error beside a result, and a usage in euros.
id() { printf '%s' "$1" | sed 's/.*"id":\([0-9]*\),.*/\1/'; }
say() { printf '\n%s\n' "$1"; }
update() { say "{\"method\":\"session/update\",\"params\":{\"sessionId\":\"7\",\"update\":$1}}"; }
letters() {
    for letter in $2; do
        update "{\"sessionUpdate\":\"agent_message_chunk\",\"messageId\":\"$1\",\"content\":{\"type\":\"text\",\"text\":\"$letter\",\"annotations\":null}}"
    done
}

read -r line
say "{\"id\":$(id "$line"),\"result\":{\"protocolVersion\":1.0,\"_meta\":{}},\"error\":null}"
read -r line
say "{\"id\":$(id "$line"),\"result\":{\"sessionId\":\"7\",\"modes\":null,\"models\":null}}"
read -r line
prompt=$(id "$line")
letters one 'S l o w'
letters two 'a n d'
letters one '!'
letters three 's t e a d y'
# Ids that are ours, too.
for ours in 1 2 3; do
    say "{\"id\":$ours,\"method\":\"session/request_permission\",\"params\":{\"sessionId\":\"7\",\"toolCall\":{\"toolCallId\":\"t$ours\",\"title\":\"step $ours\"},\"options\":[{\"optionId\":\"ok\",\"kind\":\"allow_once\",\"name\":\"Ok\"},{\"optionId\":\"no\",\"kind\":\"reject_once\",\"name\":\"No\"}]}}"
    read -r line
    case "$line" in *"\"id\":$ours,"*'"optionId":"ok"'*) status=completed ;; *"\"id\":$ours,"*) status=failed ;; *) exit 21 ;; esac
    update "{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"t$ours\",\"status\":\"$status\",\"content\":null}"
done
update '{"sessionUpdate":"usage_update","used":10.5,"size":100,"cost":{"amount":1,"currency":"EUR"}}'
say "{\"id\":$prompt,\"result\":{\"stopReason\":\"max_turn_requests\"}}"
while read -r line; do :; done
