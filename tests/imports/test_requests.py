"""What importContacts asks for, and what becomes of contacts by its options."""

import pytest

BOB = "EMAIL;NAME\nbob@a.test;Bob"
MISSING, INVALID = "missing_parameter", "invalid_parameter"
REFUSED = {
    "no contacts": ({"listIds": [1]}, (MISSING, "One of fileUrl, fileBody and jsonBody is required")),
    "two contents": (
        {"listIds": [1], "fileBody": BOB, "jsonBody": []},
        (INVALID, "Only one of fileUrl, fileBody and jsonBody is allowed"),
    ),
    "no list": ({"fileBody": BOB}, (MISSING, "One of listIds and newList is required")),
    "no list ids": ({"fileBody": BOB, "listIds": []}, (MISSING, "One of listIds and newList is required")),
    "an unknown list": ({"fileBody": BOB, "listIds": [1, 9]}, (INVALID, "List ID does not exist")),
    "the list of another account": ({"fileBody": BOB, "listIds": [3]}, (INVALID, "List ID does not exist")),
    "a new list without a name": ({"fileBody": BOB, "newList": {"folderId": 1}}, (MISSING, "List name is missing")),
    "a new list with a blank name": (
        {"fileBody": BOB, "newList": {"folderId": 1, "listName": " "}},
        (MISSING, "List name is missing"),
    ),
    "a new list without a folder": (
        {"fileBody": BOB, "newList": {"listName": "New"}},
        (MISSING, "Folder ID is missing"),
    ),
    "an unknown folder": (
        {"fileBody": BOB, "newList": {"listName": "New", "folderId": 9}},
        (INVALID, "Folder ID does not exist"),
    ),
    "an unknown list beside a new one": (
        {"fileBody": BOB, "listIds": [9], "newList": {"listName": "New", "folderId": 1}},
        (INVALID, "List ID does not exist"),
    ),
    "list ids that are texts": ({"fileBody": BOB, "listIds": ["a"]}, (INVALID, "listIds is not valid")),
    "an object of contacts": ({"listIds": [1], "jsonBody": {}}, (INVALID, "jsonBody: Not a valid list")),
    "a file that is no text": ({"listIds": [1], "fileBody": 7}, (INVALID, "fileBody: Not a valid string")),
    "an address without a scheme": (
        {"listIds": [1], "fileUrl": "files.test/a.csv"},
        (INVALID, "fileUrl: Not a valid URL"),
    ),
    "a flag that is a text": (
        {"listIds": [1], "fileBody": BOB, "emailBlacklist": "true"},
        (INVALID, "emailBlacklist: Not a valid boolean"),
    ),
}


@pytest.mark.parametrize(("body", "error"), REFUSED.values(), ids=REFUSED)
def test_a_wrong_request_is_refused_and_changes_nothing(imports, body, error):
    assert imports.ask(body) == (400, error)
    assert imports.get("/processes") == {"processes": [], "count": 0}
    assert imports.get("/contacts/lists")["count"] == 2


def test_a_source_beyond_the_stored_bytes_is_refused(imports_of):
    imports = imports_of({"stored_bytes_limit": 5_000})
    status, (code, _) = imports.ask({"listIds": [1], "fileBody": BOB + "\n" * 5_000})
    assert (status, code) == (400, "out_of_range")


def test_a_new_list_exists_at_once_and_gets_the_contacts_as_do_the_others(imports):
    imports.begin(BOB, newList={"listName": "New", "folderId": 1})
    (new,) = [row for row in imports.get("/contacts/lists")["lists"] if row["name"] == "New"]
    assert new["uniqueSubscribers"] == 0
    imports.api.advance("PT1M")
    assert (imports.members(new["id"]), imports.members(1)) == (["bob@a.test"], ["bob@a.test"])


CHANGES = {
    "updated": ({}, {"NAME": "Augusta", "CITY": "Rome"}),
    "not updated": ({"updateExistingContacts": False}, {"NAME": "Ada", "CITY": "Rome"}),
    "emptied": ({"emptyContactsAttributes": True}, {"NAME": "Augusta"}),
    "emptied, but not updated": (
        {"emptyContactsAttributes": True, "updateExistingContacts": False},
        {"NAME": "Ada", "CITY": "Rome"},
    ),
}


@pytest.mark.parametrize(("options", "expected"), CHANGES.values(), ids=CHANGES)
def test_an_existing_contact_joins_the_list_and_is_changed_as_the_options_say(imports, options, expected):
    imports.done("EMAIL;NAME;CITY\nADA@acme.test;Augusta;", **options)
    assert imports.contacts() == {"ada@acme.test": expected}
    assert imports.members(1) == ["ada@acme.test"]


@pytest.mark.parametrize(
    ("option", "member"), [("emailBlacklist", "emailBlacklisted"), ("smsBlacklist", "smsBlacklisted")]
)
def test_contacts_are_blacklisted_if_the_request_says_so(imports, option, member):
    imports.done("EMAIL\nbob@a.test\nada@acme.test", **{option: True})
    assert [row[member] for row in imports.get("/contacts")["contacts"]] == [True, True]
    imports.done("EMAIL\nbob@a.test")
    assert imports.get("/contacts/bob@a.test")[member] is True


DUPLICATES = {
    "the phone number of a contact without an address": (
        "EMAIL;SMS\n;33612345678\nbob@a.test;33612345678",
        "duplicate_phone_id",
        {"bob@a.test": {"SMS": "33612345678"}},
    ),
    "an address": ("EMAIL;NAME\nbob@a.test;Bob\nBOB@a.test;Ray", "duplicate_email_id", {"bob@a.test": {"NAME": "Ray"}}),
    "a phone number": (
        "SMS;NAME\n33612345678;Bob\n+33 612345678;Ray",
        "duplicate_phone_id",
        {"33612345678@mailin-sms.com": {"NAME": "Ray", "SMS": "33612345678"}},
    ),
    "an own id": ("EXT_ID;NAME\n1;Bob\n1;Ray", "duplicate_ext_id", {None: {"NAME": "Ray", "EXT_ID": "1"}}),
    "the phone number of another": (
        "EMAIL;SMS\nbob@a.test;33612345678\neve@a.test;33612345678",
        "duplicate_phone_id",
        {"bob@a.test": {"SMS": "33612345678"}, "eve@a.test": {}},
    ),
    "the own id of another": (
        "EMAIL;EXT_ID\nbob@a.test;1\neve@a.test;1",
        "duplicate_ext_id",
        {"bob@a.test": {"EXT_ID": "1"}, "eve@a.test": {}},
    ),
}


@pytest.mark.parametrize(("text", "count", "expected"), DUPLICATES.values(), ids=DUPLICATES)
def test_duplicates_are_counted_by_their_identifier(imports, text, count, expected):
    counts = imports.done(text)["info"]["import"]
    assert {name: number for name, number in counts.items() if number} == {count: 1}
    found = imports.contacts()
    del found["ada@acme.test"]
    assert found == expected


def test_two_imports_of_a_contact_have_no_duplicates(imports):
    imports.done(BOB)
    assert not any(imports.done(BOB)["info"]["import"].values())


def test_an_import_reaches_no_other_account(imports):
    number = imports.begin(BOB, key="beta", listIds=[3])
    imports.api.advance("PT1M")
    assert imports.api.get(f"/v3/processes/{number}").status_code == 404
    assert imports.get("/processes")["count"] == 0
    assert list(imports.contacts()) == ["ada@acme.test"]
    assert list(imports.contacts("beta")) == ["bob@a.test"]


@pytest.mark.parametrize("is_silent", [False, True])
def test_the_account_gets_an_email_unless_the_request_disables_it(imports, is_silent):
    imports.done(BOB, disableNotification=is_silent)
    found = [row["subject"] for row in imports.api.get("/_mock/mailbox").json["items"]]
    assert found == ([] if is_silent else ["Your import is completed"])
