"""Whether mail is set up: `check_mail.py ADDRESS` tells how the account stands, and sends a test mail there."""

from api import run


def check(client, address):
    account = client.account.get_account()
    print(f"account {account.email} has {account.plan[0].credits:.0f} credits")

    senders = client.senders.get_senders().senders
    for sender in senders:
        print(f"sender {sender.email} {'is verified' if sender.active else 'waits for its code'}")

    for domain in client.domains.get_domains().domains:
        records = client.domains.get_domain_configuration(domain.domain_name).dns_records
        missing = [name for name in ("dkim_record", "dmarc_record") if not getattr(records, name).status]
        print(f"domain {domain.domain_name} misses {' '.join(missing) or 'nothing'}")

    client.transactional_emails.send_transac_email(
        sender={"email": next(sender.email for sender in senders if sender.active)},
        to=[{"email": address}],
        subject="Test mail",
        text_content="It works.",
    )
    print(f"test mail sent to {address}")
    print(f"{client.account.get_account().plan[0].credits:.0f} credits are left")


run(check)
