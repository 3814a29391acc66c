"""Contacts, lists and folders of a scenario: invalid rows are refused with their place."""

import pytest

LISTS = [{"id": 5, "name": "News", "folder_id": 1}]


@pytest.mark.parametrize(
    ("account", "path", "message"),
    [
        (
            {"contact_folders": [{"id": 2, "name": None}]},
            "/contact_folders/0/name",
            "null: only folder 1 can be deleted",
        ),
        (
            {"contact_folders": [{"id": 2, "name": "A"}, {"id": 2, "name": "B"}]},
            "/contact_folders/1/id",
            "duplicate folder id 2",
        ),
        (
            {"contact_lists": [{"name": "News", "folder_id": 9}]},
            "/contact_lists/0/folder_id",
            "the account has no folder 9",
        ),
        ({"contact_lists": LISTS * 2}, "/contact_lists/1/id", "duplicate list id 5"),
        (
            {"contacts": [{"email": "bob@example.test"}, {"email": "BOB@example.test"}]},
            "/contacts/1/email",
            "duplicate email: contact 1 has it",
        ),
        (
            {"contacts": [{"id": 3, "ext_id": "a"}, {"id": 3, "ext_id": "b"}]},
            "/contacts/1/id",
            "duplicate contact id 3",
        ),
        ({"contacts": [{"ext_id": "a", "list_ids": [5]}]}, "/contacts/0/list_ids", "the account has no list 5"),
        ({"contacts": [{"phone": "1" * 256}]}, "/contacts/0/phone", "wrong length: got"),
        (
            {"contacts": [{"phone": "+33 6"}]},
            "/contacts/0/phone",
            "invalid value: got '+33 6', expected digits, such as 33612345678",
        ),
    ],
)
def test_invalid_row_of_a_scenario_is_refused_with_its_place(contacts, account, path, message):
    answer = contacts.api.post("/_mock/reset", json={"scenario": {"accounts": [{"name": "acme", **account}]}})

    (error,) = answer.json["errors"]
    assert (answer.status_code, error["path"]) == (400, f"/accounts/0{path}")
    assert error["message"].startswith(message)


def test_rows_of_a_scenario_are_listed(contacts):
    account = {
        "name": "acme",
        "contact_folders": [{"name": "Mine"}],
        "contact_lists": LISTS,
        "contacts": [{"email": "bob@example.test", "phone": "33612345678", "ext_id": "b", "list_ids": [5]}],
    }
    assert contacts.api.post("/_mock/reset", json={"scenario": {"accounts": [account]}}).status_code == 200

    contact = contacts.api.get("/v3/contacts/bob@example.test").json
    assert contact["listIds"] == [5]
    assert (contact["attributes"]["SMS"], contact["attributes"]["EXT_ID"]) == ("33612345678", "b")
    assert [row["name"] for row in contacts.api.get("/v3/contacts/lists").json["lists"]] == ["News"]
