#!/bin/bash
# A mock forwards what it does not have to another server, and what came back becomes stubs.
set -eu
trap 'kill $(jobs -p)' EXIT

cat > staging.yaml <<'END'
stubs:
  - {method: GET, path: /v3/contacts, answer: {json: {contacts: [{email: ada@acme.com}], count: 1}}}
END
# Starts a server on a free port; its address comes into a file.
serve() {
  mockserver serve --port 0 --log-format off "${@:2}" > "$1" &
  until [ -s "$1" ]; do kill -0 $!; sleep 0.1; done
}
serve staging --scenario staging.yaml
serve mock --beyond forward --forward-to "$(cat staging)"
mock=$(cat mock)

curl -s -H 'api-key: any' "$mock/v3/contacts"
curl -s -o refused.json -w '%{http_code}\n' -H 'api-key: any' "$mock/v3/contacts" -d '{"email":"bob@acme.com"}'
mockserver stubs record --url "$mock" --output recorded.yaml
cat recorded.yaml
