#!/bin/bash
# A mock forwards what it does not have to another server, and what came back becomes stubs.
set -eu
trap 'kill $(jobs -p)' EXIT

cat > staging.yaml <<'END'
stubs:
  - {method: GET, path: /v3/contacts, answer: {json: {contacts: [{email: ada@acme.com}], count: 1}}}
END
staging=http://127.0.0.1:8103
mock=http://127.0.0.1:8104
mockserver serve --port 8103 --log-format off --scenario staging.yaml > staging.txt &
mockserver serve --port 8104 --log-format off --beyond forward --forward-to "$staging" > mock.txt &
mockserver wait --url "$staging"
mockserver wait --url "$mock"

curl -s -H 'api-key: any' "$mock/v3/contacts"
curl -s -o refused.json -w '%{http_code}\n' -H 'api-key: any' "$mock/v3/contacts" -d '{"email":"bob@acme.com"}'
mockserver stubs record --url "$mock" --output recorded.yaml
cat recorded.yaml
