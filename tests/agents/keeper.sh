# An agent that keeps its conversations as files in `kept`, lists and deletes them, takes them up and has nothing to say in them, and can be
# logged out of; `in` is there as long as somebody is logged in.
id() { printf '%s' "$1" | sed 's/.*"id":\([0-9]*\),.*/\1/'; }
answer() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$(id "$1")" "$2"; }
while read -r line; do
    case "$line" in
    *'"method":"initialize"'*)
        answer "$line" '"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"auth":{"logout":{}},"sessionCapabilities":{"list":{},"delete":{}}}}'
        ;;
    *'"method":"session/list"'*)
        kept=$(cd "$HOME/kept" && for name in *; do printf ',{"sessionId":"%s","cwd":"/work","title":"About %s"}' "$name" "$name"; done)
        answer "$line" '"result":{"sessions":['"${kept#,}"']}'
        ;;
    *'"method":"session/load"'*) answer "$line" '"result":{}' ;;
    *'"method":"session/prompt"'*) answer "$line" '"result":{"stopReason":"end_turn"}' ;;
    *'"method":"session/delete"'*)
        name=$(printf '%s' "$line" | sed 's/.*"sessionId":"\([a-z0-9]*\)".*/\1/')
        if rm "$HOME/kept/$name" 2>/dev/null; then
            answer "$line" '"result":{}'
        else
            answer "$line" '"error":{"code":-32002,"message":"there is no conversation '"$name"'"}'
        fi
        ;;
    *'"method":"logout"'*)
        if rm "$HOME/in" 2>/dev/null; then
            answer "$line" '"result":{}'
        else
            answer "$line" '"error":{"code":-32603,"message":"nobody is logged in"}'
        fi
        ;;
    esac
done
