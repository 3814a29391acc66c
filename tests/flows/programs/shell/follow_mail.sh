#!/bin/sh
# What becomes of a mail: `follow_mail.sh HOOK FROM TO` sends one, and takes the events that HOOK is told, one as JSON in
# each line of the standard input. Who wants no more mail is blocked; in the end, HOOK is told nothing any more.
. "$(dirname "$0")/api.sh"
hook=$1

api GET '/webhooks?type=transactional'
case $status in
200) mine=$(printf '%s' "$body" | grep -o '"id":[0-9]*,"url":"[^"]*"' | grep -F "\"$hook\"" || true) ;;
*)
    is_refused document_not_found || refuse # an account that has none yet
    mine=''
    ;;
esac
if [ -z "$mine" ]; then
    must POST /webhooks "{\"url\":\"$hook\",\"events\":[\"request\",\"delivered\",\"unsubscribed\"]}"
    mine=$body
fi
body=$mine
id=$(number id)

send "$2" "$3" 'Monthly news' 'Much has happened.'
echo "news sent to $3"

while read -r body; do
    event=$(text event)
    reader=$(text email)
    echo "$event $reader"
    if [ "$event" = unsubscribed ]; then
        must POST /contacts "{\"email\":\"$reader\",\"emailBlacklisted\":true,\"updateEnabled\":true}"
        must GET "/contacts/$reader"
        [ "${body#*'"emailBlacklisted":true'}" = "$body" ] || echo "$reader is blocked"
    fi
done

must DELETE "/webhooks/$id"
echo 'nobody listens any more'
