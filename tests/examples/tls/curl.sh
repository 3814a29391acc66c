#!/usr/bin/env bash
# A server with TLS, and a client that calls the service by its own name.
set -euo pipefail
mockserver serve --tls --port 0 --port-file port --tls-ca-file ca.pem --log-format off > address &
trap 'kill $!' EXIT
until [ -s address ]; do sleep 0.1; done
port=$(cat port)

curl -fsS --cacert ca.pem --resolve "api.brevo.com:$port:127.0.0.1" \
    -H 'api-key: any' "https://api.brevo.com:$port/v3/senders" | head -c 40 && echo

# The first handshake is refused, and the client tries again.
curl -fsS --cacert ca.pem "https://localhost:$port/_mock/faults" -d '{"fault":"tls_handshake","times":1}' > rule
curl -fsS --cacert ca.pem --retry 1 --retry-all-errors --retry-delay 0 -o /dev/null -w '%{http_code}\n' \
    -H 'api-key: any' "https://localhost:$port/v3/account" 2> /dev/null
