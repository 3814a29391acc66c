"""A tenant's domain, from its name to the first mail: `onboard_domain.py DOMAIN ADDRESS [SECONDS]`.

May run again at any time; asks every so many seconds, 30 if not told, whether the records are there.
"""

import time

from api import run
from brevo import BadRequestError

TRIES = 100


def onboard(client, domain, address, pause="30"):
    made = unless_it_exists(client.domains.create_domain, name=domain)
    print(f"domain {domain} is {'new' if made else 'known'}")

    records = client.domains.get_domain_configuration(domain).dns_records
    for record in (records.dkim_record, records.brevo_code, records.dmarc_record):
        if not record.status:
            print(f"publish {record.type} {record.host_name}")

    authenticate(client, domain, float(pause))
    print(f"domain {domain} is authenticated")

    unless_it_exists(client.senders.create_sender, name="News", email=f"news@{domain}")
    client.transactional_emails.send_transac_email(
        sender={"email": f"news@{domain}", "name": "News"},
        to=[{"email": address}],
        subject="Welcome",
        html_content=f"<p>Your mails come from <b>{domain}</b> now.</p>",
    )
    print(f"welcome sent to {address}")


def unless_it_exists(create, **members):
    """What a call makes, or None if it is there already."""
    try:
        return create(**members)
    except BadRequestError as refused:
        if "already exist" not in refused.body["message"]:
            raise
        return None


def authenticate(client, domain, pause):
    """Ask until all records are found."""
    for left in reversed(range(TRIES)):
        try:
            client.domains.authenticate_domain(domain)
        except BadRequestError:
            if not left:
                raise
            time.sleep(pause)
        else:
            return


run(onboard)
