# An agent that nobody has logged in.
read -r line
printf '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"authMethods":[{"id":"sso","name":"Company login","description":"run odd login"}]}}\n'
read -r line
printf '{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Authentication required"}}\n'
while read -r line; do :; done
