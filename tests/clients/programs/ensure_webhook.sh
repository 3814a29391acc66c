#!/usr/bin/env bash
# Makes sure that a webhook is there, however often it runs: `bash ensure_webhook.sh URL`.
set -euo pipefail
url=$1

api() { curl -sS -H "api-key: $BREVO_API_KEY" -w '\n%{http_code}' "$BREVO_BASE_URL$1" "${@:2}"; }

answer=$(api '/webhooks?type=transactional')
status=${answer##*$'\n'}
if [[ $status == 400 && $answer == *'"document_not_found"'* ]]; then
    answer='' # an account that has none yet
elif [[ $status != 200 ]]; then
    echo "$answer" >&2
    exit 1
fi

# Each webhook begins with its id and its url.
mine=$(grep -oE '"id":[0-9]+,"url":"[^"]*"' <<< "$answer" | grep -F "\"url\":\"$url\"" || true)
if [[ -z $mine ]]; then
    mine=$(api /webhooks -d "{\"url\":\"$url\",\"events\":[\"delivered\",\"hardBounce\"]}")
fi
grep -oE '"id":[0-9]+' <<< "$mine" | head -n 1 | cut -d: -f2
