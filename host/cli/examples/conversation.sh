#!/bin/sh
# A whole conversation: answers an approval and a question, steers, interrupts, says the next thing, and closes.
#
#     conversation.sh [ARGUMENTS OF jackfield run]     sh, sed and mkfifo and nothing else
set -eu
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
mkfifo "$folder/input" "$folder/output"

jackfield run --json --input json "$@" <"$folder/input" >"$folder/output" &
exec 3>"$folder/input" 4<"$folder/output"
say() { printf '%s\n' "$1" >&3; }

# The first text behind a name. Inside of a JSON text each quote has a backslash before it, so no text is taken for a name.
field() { printf '%s\n' "$event" | sed "s/.*\"$1\":{\"id\":\"\([^\"]*\)\".*/\1/"; }

turn=first
say '{"type":"message","text":"tool question"}'
while IFS= read -r event <&4; do
  case $event in
  *'"type":"request.opened"'*'"subject":"approval"'*)
    echo "asked: approval"
    say "{\"type\":\"answer\",\"request\":\"$(field request)\",\"option\":\"allow\"}" ;;
  *'"type":"request.opened"'*'"subject":"questions"'*)
    echo "asked: questions"
    say "{\"type\":\"answer\",\"request\":\"$(field request)\",\"answers\":[{\"question\":\"colour\",\"values\":[\"Red\"]}]}" ;;
  *'"type":"item.delta"'*)
    if [ $turn = second ]; then
      turn=steered
      say '{"type":"message","text":"Come to an end.","delivery":"steer"}'
    fi ;;
  *'"type":"run.ended"'*'"joined":'*)
    echo "steered"
    say '{"type":"interrupt"}' ;;
  *'"type":"run.ended"'*)
    case $turn in
    first) turn=second; say '{"type":"message","text":"slow"}' ;;
    steered) turn=last; say '{"type":"message","text":"Thank you."}' ;;
    last) say '{"type":"close"}' ;;
    esac ;;
  *'"type":"input.rejected"'*) echo "rejected: $event" >&2 ;;
  *'"type":"stream.closed"'*) echo "closed" ;;
  esac
done
wait $!
