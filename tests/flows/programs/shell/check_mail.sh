#!/bin/sh
# Whether mail is set up: `check_mail.sh ADDRESS` tells how the account stands, and sends a test mail there.
. "$(dirname "$0")/api.sh"
address=$1

must GET /account
echo "account $(text email) has $(number credits) credits"

must GET /senders
senders=$(objects)
from=''
while read -r body; do
    if [ "${body#*'"active":true'}" != "$body" ]; then
        echo "sender $(text email) is verified"
        from=${from:-$(text email)}
    else
        echo "sender $(text email) waits for its code"
    fi
done <<END
$senders
END

must GET /senders/domains
for domain in $(printf '%s' "$body" | grep -o '"domain_name":"[^"]*"' | cut -d '"' -f 4); do
    must GET "/senders/domains/$domain"
    missing=$(printf '%s' "$body" | grep -o '"[a-z_]*record":{[^}]*"status":false' | cut -d '"' -f 2)
    echo "domain $domain misses" ${missing:-nothing}
done

send "$from" "$address" 'Test mail' 'It works.'
echo "test mail sent to $address"
must GET /account
echo "$(number credits) credits are left"
