#!/bin/sh
# Contacts out of a shop: `import_contacts.sh` reads `EMAIL PLAN` in each line of the standard input, makes or changes
# the contacts, lists them, and takes the attribute away in the end.
. "$(dirname "$0")/api.sh"

must POST /contacts/attributes/normal/SHOP_PLAN '{"type":"text"}'
must POST /contacts/lists '{"name":"Shop","folderId":1}'
list=$(number id)

while read -r email plan; do
    contact="\"attributes\":{\"SHOP_PLAN\":\"$plan\"},\"listIds\":[$list]"
    api POST /contacts "{\"email\":\"$email\",$contact}"
    case $status in
    2*) echo "$email is new" ;;
    *)
        is_refused duplicate_parameter || refuse
        must PUT "/contacts/$email" "{$contact}"
        echo "$email is changed"
        ;;
    esac
done

offset=0
while
    must GET "/contacts?limit=2&offset=$offset&sort=asc"
    emails=$(printf '%s' "$body" | grep -o '"email":"[^"]*"' | cut -d '"' -f 4)
    [ -n "$emails" ]
do
    count=$(number count)
    for email in $emails; do
        must GET "/contacts/$email"
        echo "$email has plan $(text SHOP_PLAN)"
    done
    offset=$((offset + 2))
done
echo "$count contacts"

must DELETE /contacts/attributes/normal/SHOP_PLAN
must GET /contacts/attributes
[ "${body#*SHOP_PLAN}" != "$body" ] || echo 'the attribute is gone'
api DELETE /contacts/attributes/normal/SHOP_PLAN
[ "$status" = 404 ] || refuse
