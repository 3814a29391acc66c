"""A contact is created, read, listed, changed and deleted."""

from __future__ import annotations

import pytest

NOW = "2026-01-15T09:00:00.000Z"
DUPLICATE = "is already associated with another Contact"


@pytest.fixture
def contacts(contacts):
    """An account with some attributes."""
    has = {"normal": ["FIRSTNAME", "CITY", {"name": "AGE", "type": "float"}]}
    assert contacts.api.post("/_mock/seed", json={"attributes": has}).status_code == 200
    return contacts


def emails(page):
    return [contact["email"] for contact in page["contacts"]]


def test_a_contact_is_read_as_it_was_created(contacts):
    members = {"attributes": {"FIRSTNAME": "Ada", "AGE": 36}, "emailBlacklisted": True}

    number = contacts.contact("Ada@Acme.test", **members)

    assert contacts.get(f"/{number}") == {
        "id": number,
        "email": "ada@acme.test",
        "emailBlacklisted": True,
        "smsBlacklisted": False,
        "whatsappBlacklisted": False,
        "createdAt": NOW,
        "modifiedAt": NOW,
        "listIds": [],
        "attributes": {"FIRSTNAME": "Ada", "AGE": 36},
        "statistics": {},
    }


@pytest.mark.parametrize(
    "identifier",
    [
        "1", "ada@acme.test", "ADA%40acme.test", "33612345678", "+33612345678", "1?identifierType=contact_id",
        "ada@acme.test?identifierType=email_id", "crm-7?identifierType=ext_id",
        "0033612345678?identifierType=phone_id",
    ],
)  # fmt: skip
def test_a_contact_is_found_by_each_of_its_identifiers(contacts, identifier):
    contacts.contact("ada@acme.test", ext_id="crm-7", attributes={"SMS": "+33 612345678"})

    found = contacts.get(f"/{identifier}")

    assert (found["id"], found["attributes"]) == (1, {"SMS": "33612345678", "EXT_ID": "crm-7"})


def test_a_contact_needs_no_email(contacts):
    number = contacts.made("", ext_id="crm-7")

    assert "email" not in contacts.get(f"/{number}")


def test_contact_by_sms_only_is_shown_and_found_with_an_address_of_its_phone_number(contacts):
    number = contacts.made("", attributes={"SMS": "0033058407248"}, listIds=[contacts.list()])

    shown = [contacts.get(f"/{number}"), *contacts.get()["contacts"], *contacts.get("/lists/1/contacts")["contacts"]]

    assert [row["email"] for row in shown] == ["33058407248@mailin-sms.com"] * 3
    assert contacts.get("/33058407248@mailin-sms.com")["id"] == number


@pytest.mark.parametrize(
    ("body", "refusal"),
    [
        ({}, ("missing_parameter", "One of email, ext_id and the attribute SMS is required")),
        ({"email": "no address"}, ("invalid_parameter", "Invalid email address")),
        ({"email": 7}, ("invalid_parameter", "Invalid email address")),
        ({"attributes": {"SMS": "home"}}, ("invalid_parameter", "Invalid phone number")),
        ({"email": "a@acme.test", "attributes": []}, ("invalid_parameter", "attributes is not valid")),
        ({"email": "a@acme.test", "listIds": 7}, ("invalid_parameter", "listIds is not valid")),
        ({"email": "a@acme.test", "listIds": ["7"]}, ("invalid_parameter", "listIds is not valid")),
        ({"email": "a@acme.test", "listIds": [7]}, ("invalid_parameter", "List ID does not exist")),
        ({"email": "a@acme.test", "emailBlacklisted": "yes"},
         ("invalid_parameter", "emailBlacklisted and smsBlacklisted must be booleans")),
        ({"ext_id": "x" * 256}, ("invalid_parameter", "ext_id is not valid")),
        ({"attributes": {"EXT_ID": ["crm-7"]}}, ("invalid_parameter", "ext_id is not valid")),
        ({"attributes": {"EXT_ID": True}}, ("invalid_parameter", "ext_id is not valid")),
        ({"attributes": {"SMS": ["33612345678"]}}, ("invalid_parameter", "Invalid phone number")),
        ([], ("bad_request", "The request body must be a JSON object")),
    ],
)  # fmt: skip
def test_a_bad_contact_is_refused_and_nothing_is_kept(contacts, body, refusal):
    assert contacts.call("POST", "", body) == (400, refusal)
    assert contacts.get()["count"] == 0


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({"email": "ADA@acme.test"}, ["email"]),
        ({"email": "new@acme.test", "ext_id": "crm-7"}, ["ext_id"]),
        ({"attributes": {"SMS": "+33612345678"}}, ["SMS"]),
        ({"email": "ada@acme.test", "ext_id": "crm-7"}, ["email", "ext_id"]),
    ],
)
def test_duplicate_identifier_is_refused(contacts, body, names):
    contacts.contact("ada@acme.test", ext_id="crm-7", attributes={"SMS": "33612345678"})

    answer = contacts.api.post("/v3/contacts", json=body)

    assert (answer.status_code, answer.json) == (
        400,
        {
            "code": "duplicate_parameter",
            "message": f"Unable to create contact, {', '.join(names)} {DUPLICATE}",
            "metadata": {"duplicate_identifiers": names},
        },
    )
    assert contacts.get()["count"] == 1


def test_update_enabled_changes_an_existing_contact(contacts):
    number = contacts.contact("ada@acme.test", attributes={"FIRSTNAME": "Ada", "CITY": "London"})
    contacts.api.advance("PT1H")

    contacts.done("POST", "", {"email": "Ada@acme.test", "updateEnabled": True, "attributes": {"CITY": "Paris"}})

    found = contacts.get(f"/{number}")
    assert found["attributes"] == {"FIRSTNAME": "Ada", "CITY": "Paris"}
    assert (found["createdAt"], found["modifiedAt"]) == (NOW, "2026-01-15T10:00:00.000Z")


def test_update_keeps_members_that_it_omits(contacts):
    contacts.contact("ada@acme.test", attributes={"FIRSTNAME": "Ada", "CITY": "London"}, smsBlacklisted=True)

    contacts.done("PUT", "/ada@acme.test", {"attributes": {"CITY": "", "AGE": 36}, "emailBlacklisted": True})

    found = contacts.get("/ada@acme.test")
    assert found["attributes"] == {"FIRSTNAME": "Ada", "AGE": 36}
    assert (found["emailBlacklisted"], found["smsBlacklisted"]) == (True, True)


def test_a_contact_is_found_by_its_new_identifiers_only(contacts):
    number = contacts.contact("ada@acme.test", ext_id="crm-7", attributes={"SMS": "33612345678"})

    contacts.done(
        "PUT", f"/{number}", {"attributes": {"EMAIL": "Ada@New.test", "SMS": "4915112345"}, "ext_id": "crm-8"}
    )

    for identifier in ("ada@new.test", "4915112345", "crm-8?identifierType=ext_id"):
        assert contacts.get(f"/{identifier}")["id"] == number
    for identifier in ("ada@acme.test", "33612345678", "crm-7?identifierType=ext_id"):
        assert contacts.call("GET", f"/{identifier}") == (404, ("document_not_found", "Contact does not exist"))
    assert contacts.contact("ada@acme.test") != number


def test_a_change_to_the_identifier_of_another_is_refused_and_changes_nothing(contacts):
    contacts.contact("ada@acme.test")
    contacts.contact("bob@acme.test")
    before = contacts.get("/bob@acme.test")

    answer = contacts.call("PUT", "/bob@acme.test", {"attributes": {"EMAIL": "ada@acme.test", "CITY": "Rome"}})

    assert answer == (400, ("duplicate_parameter", f"Unable to update contact, email {DUPLICATE}"))
    assert contacts.get("/bob@acme.test") == before


def test_a_contact_keeps_its_own_identifiers(contacts):
    contacts.contact("ada@acme.test", ext_id="crm-7")

    contacts.done("PUT", "/1", {"attributes": {"EMAIL": "ADA@acme.test"}, "ext_id": "crm-7"})

    assert contacts.get("/ada@acme.test")["id"] == contacts.get("/crm-7?identifierType=ext_id")["id"]


def test_a_deleted_contact_is_gone_and_leaves_its_identifiers(contacts):
    contacts.contact("ada@acme.test", ext_id="crm-7", attributes={"SMS": "33612345678"})

    contacts.done("DELETE", "/crm-7?identifierType=ext_id")

    assert contacts.get() == {"contacts": [], "count": 0}
    assert contacts.contact("ada@acme.test", ext_id="crm-7", attributes={"SMS": "33612345678"}) == 2


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
@pytest.mark.parametrize("identifier", ["7", "nobody@acme.test", "x?identifierType=ext_id"])
def test_unknown_contact_is_not_found(contacts, method, identifier):
    body = {} if method == "PUT" else None

    assert contacts.call(method, f"/{identifier}", body) == (404, ("document_not_found", "Contact does not exist"))
    refused = contacts.call(method, "/7?identifierType=name", body)
    assert refused == (400, ("invalid_parameter", "identifierType is not valid"))


class TestListing:
    @pytest.fixture
    def three(self, contacts):
        for number, name in enumerate(("ada", "bob", "eve")):
            contacts.contact(f"{name}@acme.test", attributes={"CITY": "Paris" if number else "Rome"})
            contacts.api.advance("PT1H")
        return contacts

    def test_the_newest_contact_comes_first(self, three):
        assert emails(three.get()) == ["eve@acme.test", "bob@acme.test", "ada@acme.test"]
        assert emails(three.get("?sort=asc")) == ["ada@acme.test", "bob@acme.test", "eve@acme.test"]

    def test_page_of_contacts_counts_all_of_them(self, three):
        page = three.get("?limit=1&offset=1")

        assert (emails(page), page["count"]) == (["bob@acme.test"], 3)
        assert three.get("?offset=9") == {"contacts": [], "count": 3}
        assert three.get("?limit=0") == {"contacts": [], "count": 3}

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("ids=1&ids=3", ["eve", "ada"]),
            ("ids=2", ["bob"]),
            ("createdSince=2026-01-15T10:00:00.000Z", ["eve", "bob"]),
            ("modifiedSince=2026-01-15T12:00:00%2B01:00", ["eve"]),
            ("filter=equals(CITY,%22paris%22)", ["eve", "bob"]),
            ("filter=equals(CITY,%22Paris%22)&ids=2", ["bob"]),
        ],
    )
    def test_contacts_are_filtered_by_id_date_and_attribute(self, three, query, found):
        page = three.get(f"?{query}")

        assert emails(page) == [f"{name}@acme.test" for name in found]
        assert page["count"] == len(found)

    def test_contacts_of_lists_are_filtered(self, contacts):
        first, second = contacts.list(), contacts.list()
        contacts.contact("ada@acme.test", listIds=[first])
        contacts.contact("bob@acme.test", listIds=[second])
        contacts.contact("eve@acme.test")

        assert emails(contacts.get(f"?listIds={first}")) == ["ada@acme.test"]
        assert emails(contacts.get(f"?listIds={first}&listIds={second}")) == ["bob@acme.test", "ada@acme.test"]

    @pytest.mark.parametrize(
        ("query", "refusal"),
        [
            ("limit=x", ("invalid_parameter", "limit: Not a valid integer")),
            ("limit=-1", ("invalid_parameter", "limit: Not a valid integer")),
            ("limit=1001", ("out_of_range", "limit: Must be less than or equal to 1000")),
            ("offset=x", ("invalid_parameter", "offset: Not a valid integer")),
            ("sort=up", ("invalid_parameter", "sort: Must be one of: asc, desc")),
            ("modifiedSince=today", ("invalid_parameter", "modifiedSince and createdSince must be UTC date-times")),
            ("filter=CITY", ("invalid_parameter", "filter is not valid")),
        ],
    )
    def test_a_bad_query_is_refused(self, contacts, query, refusal):
        assert contacts.call("GET", f"?{query}") == (400, refusal)

    def test_a_thousand_contacts_are_one_page_even_after_an_attribute_was_deleted(self, make_api):
        rows = [{"email": f"a{number}@acme.test", "attributes": {"PLAN": "pro"}} for number in range(1_500)]
        api = make_api({"attributes": {"normal": ["PLAN"]}, "contacts": rows})
        api.delete("/v3/contacts/attributes/normal/PLAN")

        page = api.get("/v3/contacts?limit=1000").json

        assert (len(page["contacts"]), page["count"]) == (1_000, 1_500)
        assert page["contacts"][0]["attributes"] == {}


def test_changes_of_contacts_raise_events(make_api, contacts):
    hook = {"url": "http://127.0.0.1:9/hook", "type": "marketing",
            "events": ["contactUpdated", "contactDeleted", "listAddition"]}  # fmt: skip
    contacts.api.post("/_mock/seed", json={"webhooks": [hook]})
    number = contacts.list()
    contacts.contact("ada@acme.test", listIds=[number])
    contacts.done("PUT", "/ada@acme.test", {"attributes": {"CITY": "Rome"}})
    contacts.done("DELETE", "/ada@acme.test")

    calls = contacts.api.get("/_mock/deliveries").json["items"]

    assert {call["event"] for call in calls} == {"contactUpdated", "contactDeleted", "listAddition"}


@pytest.mark.parametrize(
    ("operation", "method", "path", "code", "status"),
    [
        ("createContact", "POST", "", "account_in_process", 425),
        ("updateContact", "PUT", "/ada@acme.test", "account_in_process", 425),
        ("deleteContact", "DELETE", "/ada@acme.test", "method_not_allowed", 405),
    ],
)
def test_a_status_that_is_documented_without_a_condition_comes_by_a_fault(
    contacts, operation, method, path, code, status
):
    contacts.contact("ada@acme.test")
    rule = {"fault": "error", "code": code, "match": {"operation": operation}, "times": 1}
    assert contacts.api.post("/_mock/faults", json=rule).status_code == 201
    body = {"attributes": {}} if method == "PUT" else {"email": "bob@acme.test"} if method == "POST" else None

    refused, (told, _) = contacts.call(method, path, body)
    assert (refused, told) == (status, code)
    assert contacts.call(method, path, body)[0] in (201, 204)


def test_accounts_do_not_share_contacts(make_api):
    api = make_api({"accounts": [{"name": "a", "api_keys": ["a"]}, {"name": "b", "api_keys": ["b"]}]})
    api.post("/v3/contacts", json={"email": "ada@acme.test"}, key="a")

    assert api.get("/v3/contacts", key="b").json == {"contacts": [], "count": 0}
