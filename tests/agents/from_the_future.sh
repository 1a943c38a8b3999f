# An agent of a later version of the protocol.
read -r line
printf '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":2,"capabilities":{}}}\n'
while read -r line; do :; done
