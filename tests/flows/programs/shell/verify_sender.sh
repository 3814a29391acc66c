#!/bin/sh
# A sender proves its address and sends: `verify_sender.sh NAME EMAIL TO`; codes are read from the standard input.
. "$(dirname "$0")/api.sh"

must POST /senders "{\"name\":\"$1\",\"email\":\"$2\"}"
id=$(number id)
echo "a code is on its way to $2"

while read -r code; do
    api PUT "/senders/$id/validate" "{\"otp\":$code}"
    [ "$status" != 204 ] || break
    [ "$status" = 400 ] || refuse
    echo "$(text code)"
done
[ "$status" = 204 ] || refuse
echo "$2 is verified"

send "$2" "$3" Hello "From $1."
echo "hello sent to $3"
