#!/bin/sh
# Murmur, a made-up agent for examples and tests: one JSON object per line on stdin and stdout, and it pretends all it does.
# What it says is documented in README.md beside it. A message that holds `tool` makes it ask, `wait` makes it wait to be stopped,
# `odd` makes it say what nobody knows, `die` makes it die.
[ "$1" = --version ] && { echo 'murmur 1.0'; exit 0; }
say() { printf '%s\n' "$1"; }

# A command that it would like to run; nothing is run.
tool() {
  say '{"t":"tool","id":"t1","name":"run","input":{"command":"echo hush"}}'
  say '{"t":"may","id":"q1","tool":"t1","name":"run","input":{"command":"echo hush"}}'
  read -r answer || exit 0
  case "$answer" in
  *'"id":"q1"'*) ;;
  *) exit 9 ;;
  esac
  case "$answer" in
  *'"allow":true'*) say '{"t":"did","id":"t1","ok":true,"out":"hush"}' ;;
  *) say '{"t":"did","id":"t1","ok":false,"out":"it was not allowed"}' ;;
  esac
}

printf 'murmur 1.0 clears its throat\n'
say '{"t":"ready","version":"1.0"}'
while read -r line; do
  case "$line" in
  *'"t":"say"'*) ;;
  *) continue ;;
  esac
  say '{"t":"said","text":"Murmur, "}'
  case "$line" in
  *die*)
    printf 'murmur: out of breath\n' >&2
    exit 3
    ;;
  *tool*) tool ;;
  *wait*)
    read -r stop || exit 0
    say '{"t":"end","how":"stopped"}'
    continue
    ;;
  *odd*) say '{"t":"hum","for":2}' ;;
  esac
  say '{"t":"said","text":"murmur: ünïcode."}'
  say '{"t":"end","how":"done"}'
done
