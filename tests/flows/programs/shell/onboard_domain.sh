#!/bin/sh
# A tenant's domain, from its name to the first mail: `onboard_domain.sh DOMAIN ADDRESS [SECONDS]`.
# May run again at any time; asks every so many SECONDS, 30 if not told, whether the records are there.
. "$(dirname "$0")/api.sh"
domain=$1
address=$2
pause=${3:-30}
tries=100

api POST /senders/domains "{\"name\":\"$domain\"}"
case $status in
2*) echo "domain $domain is new" ;;
*)
    is_refused 'already exist' || refuse
    echo "domain $domain is known"
    ;;
esac

must GET "/senders/domains/$domain"
printf '%s' "$body" | grep -o '"type":"[^"]*","value":"[^"]*","host_name":"[^"]*","status":false' |
    awk -F '"' '{ print "publish " $4 " " $12 }'

until api PUT "/senders/domains/$domain/authenticate" && [ "$status" = 200 ]; do
    tries=$((tries - 1))
    if [ "$status" != 400 ] || [ "$tries" = 0 ]; then refuse; fi
    sleep "$pause"
done
echo "domain $domain is authenticated"

api POST /senders "{\"name\":\"News\",\"email\":\"news@$domain\"}"
case $status in 2*) ;; *) is_refused 'already exist' || refuse ;; esac

send "news@$domain" "$address" Welcome "Your mails come from $domain now."
echo "welcome sent to $address"
