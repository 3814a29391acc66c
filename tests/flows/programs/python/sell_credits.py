"""A reseller gives a customer an account with so many mails: `sell_credits.py COMPANY EMAIL CREDITS FROM TO`.

It makes the account and sends until they are gone; the code of the sender is read from the standard input.
"""

from api import connect, run
from brevo.core.api_error import ApiError

NO_CREDITS = 402


def sell(client, company, email, bought, sender, to):
    master = client.master_account
    account = master.create_a_new_sub_account_under_a_master_account(company_name=company, email=email).id
    master.update_sub_account_plan(account, credits={"email": int(bought)})
    customer = connect(master.create_an_api_key_for_a_sub_account(id=account, name="shop").key)
    print(f"{company} has {bought} credits")

    made = customer.senders.create_sender(name=company, email=sender)
    customer.senders.validate_sender_by_otp(made.id, otp=int(input()))

    mails = 0
    while True:
        try:
            customer.transactional_emails.send_transac_email(
                sender={"email": sender}, to=[{"email": to}], subject="Offer", text_content="Buy."
            )
        except ApiError as refused:
            if refused.status_code != NO_CREDITS:
                raise
            print(f"{mails} mails, then: {refused.body['code']}")
            break
        mails += 1

    left = master.get_sub_account_details(account).plan_info.credits.emails
    print(f"{left.remaining} of {left.quantity} credits are left")


run(sell)
