#!/usr/bin/env bash
# A test in any language is this: make a workspace, point the client at it, look into it, drop it.
set -euo pipefail
mock=${MOCKSERVER_URL:-http://localhost:8003}

# The workspace of this test; every address below `$mock/w/$name` is its own.
name=curl-$$
curl -fsS "$mock/_mock/workspaces" -d "{\"name\":\"$name\",\"scenario\":\"onboarding\"}" > /dev/null
# At the end it is dropped; a test that has failed first shows in ten lines what went wrong.
end() {
    [ $? = 0 ] || curl -fsS "$mock/w/$name/_mock/report?format=text" >&2
    curl -fsS -X DELETE "$mock/_mock/workspaces/$name"
}
trap end EXIT

# What the product does.
api() { curl -sS -H 'api-key: any' "$@"; }
api "$mock/w/$name/v3/senders" -d '{"name":"Jo","email":"jo@acme.test"}'
otp=$(curl -fsS "$mock/w/$name/_mock/mailbox?to=jo@acme.test&wait=5" | grep -o '"otp":[0-9]*' | cut -d: -f2)
api -X PUT "$mock/w/$name/v3/senders/3/validate" -d "{\"otp\":$otp}"

# What the test expects.
curl -fsS "$mock/w/$name/_mock/machines/sender/3" | grep -q '"state":"verified"' && echo verified
curl -fsS "$mock/w/$name/_mock/requests/verify" -d '{"match":{"operation":"createSender"},"count":1}' |
    grep -q '"satisfied":true' && echo 'asked once'
