#!/usr/bin/env bash
# Collections for Postman and Bruno, made of the OpenAPI document; the mock answers each request as its example says.
# Needs: npm install openapi-to-postmanv2@6.3.3 newman@6.2.2 @usebruno/cli@4.1.0
set -euo pipefail
mock=${MOCKSERVER_URL:-http://localhost:8003}
variables=(--env-var "baseUrl=$mock" --env-var apiKey=any)
curl -fsS "$mock/_mock/openapi.json" > openapi.json

npx openapi2postmanv2 -s openapi.json -o postman.json -O parametersResolution=Example,enableOptionalParameters=false
npx newman run postman.json "${variables[@]}" --folder senders

npx bru import openapi --source openapi.json --output bruno --collection-name mock
cd bruno
npx bru run senders "${variables[@]}"
