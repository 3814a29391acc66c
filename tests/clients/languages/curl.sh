#!/usr/bin/env bash
# Creates senders and a workspace with curl and the given options of curl: `bash curl.sh --http2`.
set -euo pipefail
mock=$MOCKSERVER_URL
sender='{"name":"Zoë","email":"zoe@acme.test"}'
options=(-H 'api-key: any' -H 'Content-Type: application/json' -w '%{http_code}\n' "$@") # --next forgets them

# Print the status and the body of each answer; curl gives two lines for it.
answers() {
    while read -r body && read -r status; do printf '{"status":%s,"body":%s}\n' "$status" "$body"; done
}

# Print the first text of a name in the second answer.
member() { sed -n 2p <<< "$first" | grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }

# A body that is too long for an argument.
stub() {
    printf '{"method":"GET","path":"/v3/reports","answer":{"text":"'
    head -c 1100000 /dev/zero | tr '\0' x
    printf '"}}'
}

first=$(curl -sS "${options[@]}" "$mock/v3/senders" -d "$sender" \
    --next "${options[@]}" "$mock/_mock/workspaces" -d '{"scenario":"onboarding"}' | answers)
echo "$first"
options[1]="api-key: $(member api_key)"
stub | curl -sS "${options[@]}" "$(member url)/senders" -d "$sender" \
    --next "${options[@]}" "$mock/_mock/stubs" -d @- \
    --next "${options[@]}" "$mock/_mock/requests?operation=createSender" | answers
