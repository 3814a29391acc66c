#!/bin/sh
# A reseller gives a customer an account with so many mails: `sell_credits.sh COMPANY EMAIL CREDITS FROM TO` makes it and
# sends until they are gone; the code of the sender FROM is read from the standard input.
. "$(dirname "$0")/api.sh"

must POST /corporate/subAccount "{\"companyName\":\"$1\",\"email\":\"$2\"}"
account=$(number id)
must PUT "/corporate/subAccount/$account/plan" "{\"credits\":{\"email\":$3}}"
must POST /corporate/subAccount/key "{\"id\":$account,\"name\":\"shop\"}"
key=$(text key)
echo "$1 has $3 credits"

must POST /senders "{\"name\":\"$1\",\"email\":\"$4\"}"
sender=$(number id)
read -r code
must PUT "/senders/$sender/validate" "{\"otp\":$code}"

mails=0
while
    api POST /smtp/email "{\"sender\":{\"email\":\"$4\"},\"to\":[{\"email\":\"$5\"}],\"subject\":\"Offer\",\"textContent\":\"Buy.\"}"
    [ "$status" = 201 ]
do
    mails=$((mails + 1))
done
[ "$status" = 402 ] || refuse
echo "$mails mails, then: $(text code)"

key=$BREVO_API_KEY
must GET "/corporate/subAccount/$account"
body=${body#*'"emails":'}
echo "$(number remaining) of $(number quantity) credits are left"
