#!/bin/bash
# A mock forwards what it does not have to another server, and what came back becomes stubs.
set -eu
trap 'kill $(jobs -p)' EXIT

cat > staging.yaml <<'END'
stubs:
  - {method: GET, path: /v3/companies, answer: {json: {items: [{name: Acme, owner: ada@acme.com}]}}}
END
# Starts a server on a free port; its address comes into a file.
serve() {
  mockserver serve --port 0 --log-format off "${@:2}" > "$1" &
  until [ -s "$1" ]; do kill -0 $!; sleep 0.1; done
}
serve staging --scenario staging.yaml
serve mock --beyond forward --forward-to "$(cat staging)"
mock=$(cat mock)

curl -s -H 'api-key: any' "$mock/v3/companies"
curl -s -o refused.json -w '%{http_code}\n' -H 'api-key: any' "$mock/v3/companies" -d '{"name":"Bob"}'
mockserver stubs record --url "$mock" --output recorded.yaml
cat recorded.yaml
