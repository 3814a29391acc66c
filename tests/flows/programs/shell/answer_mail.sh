#!/bin/sh
# A robot that answers mails: `answer_mail.sh DOMAIN HOOK FROM` lets HOOK be told of mails to DOMAIN; what it is told
# comes as JSON, one call in each line of the standard input.
. "$(dirname "$0")/api.sh"
domain=$1
hook=$2
from=$3

api GET '/webhooks?type=inbound'
[ "$status" = 200 ] || is_refused document_not_found || refuse
if [ "${body#*"\"$hook\""}" = "$body" ]; then
    must POST /webhooks "{\"type\":\"inbound\",\"events\":[\"inboundEmailProcessed\"],\"domain\":\"$domain\",\"url\":\"$hook\"}"
fi
echo "mails to $domain are taken"

while read -r call; do
    body=$call
    message=$(text MessageId)
    subject=$(text Subject)
    reader=$(text Address)
    send "$from" "$reader" "Re: $subject" 'We look into it.' "\"headers\":{\"In-Reply-To\":\"$message\"}"
    echo "answered $reader: Re: $subject"
    must GET "/inbound/events?sender=$reader"
    echo "$(objects | wc -l | tr -d ' ') so far from $reader"
done
