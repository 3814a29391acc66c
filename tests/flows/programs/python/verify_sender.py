"""A sender proves its address and sends: `verify_sender.py NAME EMAIL TO`; codes are read from the standard input."""

from api import run
from brevo import BadRequestError


def verify(client, name, email, to):
    sender = client.senders.create_sender(name=name, email=email)
    print(f"a code is on its way to {email}")

    while True:
        try:
            client.senders.validate_sender_by_otp(sender.id, otp=int(input()))
        except BadRequestError as refused:
            print(refused.body["code"])
        else:
            break
    print(f"{email} is verified")

    client.transactional_emails.send_transac_email(
        sender={"id": sender.id}, to=[{"email": to}], subject="Hello", text_content=f"From {name}."
    )
    print(f"hello sent to {to}")


run(verify)
