# An agent that wants a login before it opens a conversation. Of its three ways one works, one is refused, one never ends. With a file
# `expired` beside it, a message meets a missing login, once.
id() { printf '%s' "$1" | sed 's/.*"id":\([0-9]*\),.*/\1/'; }
answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$(id "$1")" "$2"; }
missing='"error":{"code":-32000,"message":"Authentication required"}'
version=${AGENT_VERSION-}
logged=${AGENT_LOGGED-}
while read -r line; do
    case "$line" in
    *'"method":"initialize"'*)
        answer "$line" '"result":{"protocolVersion":1,"agentInfo":{"name":"a","version":"'"$version"'"},"authMethods":[{"id":"good","name":"The good way"},{"id":"bad","name":"The bad way"},{"id":"never","name":"The way that never ends"}]}'
        ;;
    *'"methodId":"good"'*) logged=yes && answer "$line" '"result":{}' ;;
    *'"methodId":"bad"'*) answer "$line" '"error":{"code":-32603,"message":"the bad way is closed"}' ;;
    *'"methodId":"never"'*) ;;
    *'"method":"session/new"'*)
        if [ -n "$logged" ]; then answer "$line" '"result":{"sessionId":"s1"}'; else answer "$line" "$missing"; fi
        ;;
    *'"method":"session/prompt"'*)
        if [ -e "$HOME/expired" ]; then
            rm "$HOME/expired"
            answer "$line" "$missing"
        else
            count=$((${count-0} + 1))
            printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"message %s"}}}}\n' "$count"
            answer "$line" '"result":{"stopReason":"end_turn"}'
        fi
        ;;
    esac
done
