"""Which attributes of a contact are stored, and what webhooks are told of a change."""

from __future__ import annotations

import pytest

ATTRIBUTES = {
    "normal": [
        "FIRSTNAME", {"name": "BIRTHDAY", "type": "date"}, {"name": "AGE", "type": "float"},
        {"name": "MEMBER", "type": "boolean"}, {"name": "OWNER", "type": "user"},
        {"name": "TAGS", "type": "multiple-choice", "options": ["a", "b"]}, {"name": "ANY", "type": "multiple-choice"},
    ],
    "transactional": [{"name": "ORDER", "type": "id"}, {"name": "BOTH", "type": "date"}],
    "category": [{"name": "SIZE", "enumeration": [{"value": "1", "label": "Small"}]}, "PLAN", "BOTH"],
    "calculated": ["SUM"],
    "global": ["ALL"],
}  # fmt: skip


@pytest.fixture
def contacts(contacts):
    assert contacts.api.post("/_mock/seed", json={"attributes": ATTRIBUTES}).status_code == 200
    return contacts


def warnings(contacts):
    """The warnings of the last call of the service."""
    return contacts.api.get("/_mock/requests?limit=1").json["items"][0]["warnings"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FIRSTNAME", "Ada"), ("FIRSTNAME", 7), ("OWNER", "ada@acme.test"), ("ORDER", 7), ("ORDER", "A-7"),
        ("BIRTHDAY", "1815-12-10"), ("BIRTHDAY", "1815-12-10T00:00:00.000Z"), ("BIRTHDAY", "10-12-1815"),
        ("BIRTHDAY", "12/31/1815"), ("BIRTHDAY", "29-02-2024"), ("AGE", 36),
        ("AGE", 36.5), ("AGE", "-36.5"), ("AGE", "1e3"),
        ("MEMBER", True), ("MEMBER", 0), ("MEMBER", "Yes"), ("TAGS", ["b", "a"]), ("TAGS", []), ("ANY", ["c", 7]),
        ("SIZE", 1), ("SIZE", "1"), ("SIZE", "Small"), ("PLAN", "pro"), ("BOTH", "1815-12-10"), ("BOTH", "pro"),
    ],
    ids=repr,
)  # fmt: skip
def test_value_that_fits_the_type_is_stored_as_sent(contacts, name, value):
    contacts.contact("ada@acme.test", attributes={name: value})

    assert warnings(contacts) == []
    assert contacts.get("/1")["attributes"] == {name: value}


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("NOM", "N", "attribute NOM is not in the account"),
        ("firstname", "N", "attribute firstname is not in the account (it has FIRSTNAME)"),
        ("NOM", None, "attribute NOM is not in the account"),
        ("FIRSTNAME", ["Ada"], "attribute FIRSTNAME of type text does not take a list of 1 item"),
        ("BIRTHDAY", "not a date",
         "attribute BIRTHDAY of type date does not take a string of 10 characters (redacted)"),
        ("BIRTHDAY", "1815-13-32", None), ("BIRTHDAY", "1815-02-31", None), ("BIRTHDAY", "13/13/1815", None),
        ("BIRTHDAY", "29-02-2023", None), ("BIRTHDAY", "1815-12-10x", None), ("BIRTHDAY", 18151210, None),
        ("AGE", "old", None), ("AGE", True, None), ("AGE", "nan", None), ("MEMBER", "maybe", None), ("MEMBER", 2, None),
        ("TAGS", "a", None), ("TAGS", ["a", "c"], None), ("ANY", "c", None), ("SIZE", 2, None), ("SIZE", ["1"], None),
        ("SUM", 7, "attribute SUM of type calculated does not take a number (redacted)"), ("ALL", 7, None),
    ],
)  # fmt: skip
def test_other_value_is_not_stored_and_the_journal_warns(contacts, name, value, why):
    """The client is not told: the answer is that of a contact whose attributes all fit."""
    contacts.contact("ada@acme.test", attributes={name: value, "PLAN": "pro"})

    (warning,) = warnings(contacts)
    assert warning.endswith(", so it is not stored")
    assert why is None or warning.startswith(why + ",")
    assert contacts.get("/1")["attributes"] == {"PLAN": "pro"}


def test_value_that_does_not_fit_leaves_the_stored_one(contacts):
    contacts.contact("ada@acme.test", attributes={"AGE": 36, "PLAN": "pro"})

    contacts.done("PUT", "/1", {"attributes": {"AGE": "old", "NOM": "N", "PLAN": ""}})
    assert [text.split(" ")[1] for text in warnings(contacts)] == ["AGE", "NOM"]
    contacts.done("POST", "", {"email": "ada@acme.test", "updateEnabled": True, "attributes": {"NOM": "N"}})
    assert len(warnings(contacts)) == 1

    assert contacts.get("/1")["attributes"] == {"AGE": 36}


def test_attribute_is_stored_from_its_creation_on(contacts):
    contacts.contact("ada@acme.test", attributes={"NOM": "N"})
    contacts.call("POST", "/attributes/normal/NOM", {"type": "text"})

    contacts.done("PUT", "/1", {"attributes": {"NOM": "N"}})

    assert contacts.get("/1")["attributes"] == {"NOM": "N"}


@pytest.mark.parametrize("category", ["calculated", "global"])
@pytest.mark.parametrize("body", [{"value": ""}, {"value": None, "enumeration": []}])
def test_attribute_with_a_formula_is_not_created_without_it(contacts, category, body):
    answer = contacts.call("POST", f"/attributes/{category}/TOTAL", body)

    assert answer == (400, ("missing_parameter", "Attribute value is missing"))


def test_accounts_have_attributes_of_their_own(make_api):
    has = {"attributes": {"normal": ["NOM"]}}
    api = make_api({"accounts": [{"name": "a", "api_keys": ["a"], **has}, {"name": "b", "api_keys": ["b"]}]})
    for key in "ab":
        api.post("/v3/contacts", json={"email": "ada@acme.test", "attributes": {"NOM": "N"}}, key=key)

    shown = [api.get("/v3/contacts/ada@acme.test", key=key).json["attributes"] for key in "ab"]
    assert shown == [{"NOM": "N"}, {}]


def content(contacts):
    """What the only webhook call tells of the contact."""
    contacts.api.advance("PT0S")  # waits for the call
    (call,) = contacts.api.get("/_mock/deliveries").json["items"]
    (found,) = call["attempts"][0]["request"]["body"]["content"]
    return found


BEFORE = {"attributes": {"FIRSTNAME": "Ada", "AGE": 36, "MEMBER": 1, "SMS": "33612345678"}, "listIds": [1]}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"attributes": {"FIRSTNAME": "Elly", "AGE": 36}}, {"attributes": {"FIRSTNAME": "Elly"}}),
        ({"attributes": {"AGE": ""}}, {"attributes": {"AGE": ""}}),
        ({"attributes": {"NOM": "N"}}, {}),
        ({"attributes": {"MEMBER": True}}, {"attributes": {"MEMBER": True}}),
        ({"attributes": {"SMS": "4915112345"}, "ext_id": "crm-7"},
         {"attributes": {"SMS": "4915112345", "EXT_ID": "crm-7"}}),
        ({"attributes": {"EMAIL": "elly@acme.test"}},
         {"email": "elly@acme.test", "attributes": {"EMAIL": "elly@acme.test"}}),
        ({"emailBlacklisted": True}, {"emailBlacklist": True}),
        ({"smsBlacklisted": True, "emailBlacklisted": False}, {"smsBlacklist": True}),
        ({"attributes": {"AGE": 37}, "emailBlacklisted": True}, {"attributes": {"AGE": 37}, "emailBlacklist": True}),
        ({"unlinkListIds": [1]}, {}),
    ],
)  # fmt: skip
def test_contact_updated_tells_only_what_has_changed(contacts, change, told):
    hook = {"url": "http://127.0.0.1:9/hook", "type": "marketing", "events": ["contactUpdated"]}
    contacts.api.post("/_mock/seed", json={"webhooks": [hook]})
    contacts.list()
    contacts.contact("ada@acme.test", **BEFORE)

    contacts.done("PUT", "/1", change)

    assert content(contacts) == {"email": "ada@acme.test", **told}


def test_contact_that_is_subscribed_again_by_its_new_address_is_told_so(contacts):
    hook = {"url": "http://127.0.0.1:9/hook", "type": "marketing", "events": ["contactUpdated"]}
    contacts.api.post("/_mock/seed", json={"webhooks": [hook]})
    contacts.contact("ada@acme.test", emailBlacklisted=True)

    contacts.done("PUT", "/1", {"attributes": {"EMAIL": "elly@acme.test"}})

    assert content(contacts)["emailBlacklist"] is False
