#!/bin/sh
# Reminders for an appointment that is called off: `cancel_batch.sh FROM PATIENT...`. All reminders are one batch, due in
# an hour and cancelled; the note to the practice itself, due then as well, stays.
. "$(dirname "$0")/api.sh"
from=$1
shift
due=$(($(date +%s) + 3600))
due=$(date -u -d "@$due" +%Y-%m-%dT%H:%M:%S.000Z 2>/dev/null || date -u -r "$due" +%Y-%m-%dT%H:%M:%S.000Z)

batch=''
for patient; do
    send "$from" "$patient" Reminder 'See you soon.' "\"scheduledAt\":\"$due\"${batch:+,\"batchId\":\"$batch\"}"
    batch=$(text batchId)
done
send "$from" "$from" Note 'The reminders are out.' "\"scheduledAt\":\"$due\""
note=$(text messageId | sed 's/</%3C/; s/>/%3E/')

must GET "/smtp/emailStatus/$batch"
echo "reminders: $(text status)"
must GET "/smtp/emailStatus/$note"
echo "note: $(text status)"

must DELETE "/smtp/email/$batch"
echo 'reminders: cancelled'
api DELETE "/smtp/email/$batch"
[ "$status" = 404 ] || refuse
echo 'reminders: nothing to cancel'
