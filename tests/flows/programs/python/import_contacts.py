"""Contacts out of a shop: `import_contacts.py` reads `EMAIL PLAN` in each line of the standard input.

It makes or changes the contacts, lists them, and takes the attribute away in the end.
"""

import sys

from api import run
from brevo import BadRequestError, NotFoundError

PAGE = 2


def import_contacts(client):
    contacts = client.contacts
    contacts.create_attribute("normal", "SHOP_PLAN", type="text")
    shop = contacts.create_list(name="Shop", folder_id=1)

    for email, plan in map(str.split, sys.stdin):
        members = {"attributes": {"SHOP_PLAN": plan}, "list_ids": [shop.id]}
        try:
            contacts.create_contact(email=email, **members)
            print(f"{email} is new")
        except BadRequestError as refused:
            if refused.body["code"] != "duplicate_parameter":
                raise
            contacts.update_contact(email, **members)
            print(f"{email} is changed")

    offset = count = 0
    while (page := contacts.get_contacts(limit=PAGE, offset=offset, sort="asc")).contacts:
        for contact in page.contacts:
            plan = contacts.get_contact_info(contact.email).attributes.dict()["SHOP_PLAN"]
            print(f"{contact.email} has plan {plan}")
        offset, count = offset + PAGE, page.count
    print(f"{count} contacts")

    contacts.delete_attribute("normal", "SHOP_PLAN")
    if "SHOP_PLAN" not in [attribute.name for attribute in contacts.get_attributes().attributes]:
        print("the attribute is gone")
    try:
        contacts.delete_attribute("normal", "SHOP_PLAN")
    except NotFoundError:
        return
    sys.exit("error: the attribute could be deleted twice")


run(import_contacts)
