"""The official client library and contacts: what it sends is taken, and its models fit."""

from __future__ import annotations

import httpx
import pytest
from brevo import BadRequestError, Brevo, NotFoundError
from brevo.contacts import AddContactToListRequestBodyEmails, RemoveContactFromListRequestBodyAll
from pydantic import BaseModel


@pytest.fixture
def contacts(server):
    with server.workspace("empty") as workspace, httpx.Client() as http:
        yield Brevo(api_key=workspace.api_key, base_url=workspace.url, httpx_client=http, max_retries=0).contacts


def valid(found):
    """A model, with what it declares checked: the client itself takes anything."""
    assert isinstance(found, BaseModel)
    return type(found).model_validate(found.model_dump(by_alias=True, exclude_unset=True))


def test_a_contact_is_created_read_changed_and_deleted(contacts):
    made = contacts.create_contact(email="Bob@acme.test", attributes={"FIRSTNAME": "Bob"}, ext_id="crm-7")

    contacts.update_contact("bob@acme.test", attributes={"CITY": "Rome"}, email_blacklisted=True)

    found = valid(contacts.get_contact_info(made.id))
    assert (found.email, found.email_blacklisted, found.list_ids) == ("bob@acme.test", True, [])
    assert contacts.get_contact_info("crm-7", identifier_type="ext_id").id == made.id
    contacts.delete_contact(made.id)
    with pytest.raises(NotFoundError) as gone:
        contacts.get_contact_info("bob@acme.test")
    assert gone.value.body["message"] == "Contact does not exist"


def test_a_contact_that_is_there_is_an_error_or_changed(contacts):
    contacts.create_contact(email="bob@acme.test")

    with pytest.raises(BadRequestError) as twice:
        contacts.create_contact(email="bob@acme.test")

    assert twice.value.body["metadata"] == {"duplicate_identifiers": ["email"]}
    assert contacts.create_contact(email="bob@acme.test", update_enabled=True) is None


def test_contacts_come_in_pages(contacts):
    for number in range(5):
        contacts.create_contact(email=f"a{number}@acme.test")

    page = valid(contacts.get_contacts(limit=2, offset=1, sort="asc"))

    assert ([row.email for row in page.contacts], page.count) == (["a1@acme.test", "a2@acme.test"], 5)
    assert [row.id for row in contacts.get_contacts(ids=[2, 4]).contacts] == [4, 2]


def test_contacts_are_put_into_lists_and_taken_out(contacts):
    folder = contacts.create_folder(name="Shop")
    made = contacts.create_list(folder_id=folder.id, name="News")
    contacts.create_contact(email="bob@acme.test", list_ids=[made.id])
    contacts.create_contact(email="eve@acme.test")

    told = contacts.add_contact_to_list(made.id, request=AddContactToListRequestBodyEmails(emails=["eve@acme.test"]))

    assert told.contacts.success == ["eve@acme.test"]
    assert valid(contacts.get_list(made.id)).total_subscribers == 2
    assert [row.id for row in contacts.get_contacts(list_ids=[made.id]).contacts] == [2, 1]
    assert valid(contacts.get_contacts_from_list(made.id)).count == 2
    gone = contacts.remove_contact_from_list(made.id, request=RemoveContactFromListRequestBodyAll(all_=True))
    assert (gone.contacts.total, contacts.get_contacts_from_list(made.id).contacts) == (2, [])


def test_lists_and_folders_are_listed_changed_and_deleted(contacts):
    made = contacts.create_list(folder_id=1, name="News")
    contacts.update_list(made.id, name="Old news")
    contacts.update_folder(1, name="Shop")

    (listed,) = valid(contacts.get_lists()).lists
    (folder,) = valid(contacts.get_folders(limit=10, offset=0)).folders
    assert (listed.name, folder.name, valid(contacts.get_folder(1)).id) == ("Old news", "Shop", 1)
    assert [row.id for row in valid(contacts.get_folder_lists(1)).lists] == [made.id]
    contacts.delete_list(made.id)
    contacts.delete_folder(1)
    assert (contacts.get_lists().count, contacts.get_folders(limit=10, offset=0).count) == (0, 0)


def test_attributes_are_created_listed_changed_and_deleted(contacts):
    contacts.create_attribute("normal", "PLAN", type="text")
    contacts.create_attribute("category", "SIZE", enumeration=[{"value": 1, "label": "S"}])
    contacts.update_attribute("category", "SIZE", enumeration=[{"value": 2, "label": "M"}])

    plan, size = valid(contacts.get_attributes()).attributes

    assert (plan.name, plan.type, size.category, size.enumeration[0].label) == ("PLAN", "text", "category", "M")
    contacts.delete_attribute("normal", "PLAN")
    with pytest.raises(NotFoundError):
        contacts.delete_attribute("normal", "PLAN")
    assert [row.name for row in contacts.get_attributes().attributes] == ["SIZE"]
