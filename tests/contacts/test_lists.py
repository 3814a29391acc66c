"""Lists, folders and attributes of contacts."""

from __future__ import annotations

import pytest

NO_LIST = (404, ("document_not_found", "List ID does not exist"))
NO_FOLDER = (404, ("document_not_found", "Folder ID does not exist"))
NOT_ADDED = (400, ("invalid_parameter", "Contact already in list and/or does not exist"))
NOT_REMOVED = (400, ("invalid_parameter", "Contact already removed from list and/or does not exist"))


def counts(row):
    return row["uniqueSubscribers"], row["totalSubscribers"], row["totalBlacklisted"]


class TestLists:
    def test_a_list_is_read_as_it_was_created(self, contacts):
        number = contacts.list("News")

        assert contacts.get(f"/lists/{number}") == {
            "id": number,
            "name": "News",
            "folderId": 1,
            "createdAt": "2026-01-15T09:00:00.000Z",
            "uniqueSubscribers": 0,
            "totalSubscribers": 0,
            "totalBlacklisted": 0,
            "dynamicList": False,
            "campaignStats": [],
        }

    def test_lists_come_in_pages_the_newest_first(self, contacts):
        numbers = [contacts.list(name) for name in ("a", "b", "c")]

        page = contacts.get("/lists?limit=2")

        assert ([row["id"] for row in page["lists"]], page["count"]) == (numbers[:0:-1], 3)
        assert [row["name"] for row in contacts.get("/lists?sort=asc&offset=1")["lists"]] == ["b", "c"]
        assert contacts.call("GET", "/lists?limit=51")[1][0] == "out_of_range"

    def test_a_list_counts_its_contacts(self, contacts):
        number = contacts.list()
        contacts.contact("ada@acme.test", listIds=[number])
        contacts.contact("bob@acme.test", listIds=[number], emailBlacklisted=True)

        assert counts(contacts.get(f"/lists/{number}")) == counts(contacts.get("/lists")["lists"][0]) == (2, 1, 1)

    def test_update_of_a_list_changes_name_and_folder(self, contacts):
        number, folder = contacts.list(), contacts.made("/folders", name="Other")

        contacts.done("PUT", f"/lists/{number}", {"name": "Changed"})
        contacts.done("PUT", f"/lists/{number}", {"folderId": folder})

        found = contacts.get(f"/lists/{number}")
        assert (found["name"], found["folderId"]) == ("Changed", folder)

    def test_a_deleted_list_is_gone_from_its_contacts(self, contacts):
        gone, kept = contacts.list(), contacts.list()
        contacts.contact("ada@acme.test", listIds=[gone, kept])

        contacts.done("DELETE", f"/lists/{gone}")

        assert contacts.call("GET", f"/lists/{gone}") == NO_LIST
        assert contacts.get("/1")["listIds"] == [kept]

    @pytest.mark.parametrize(
        ("method", "body", "refusal"),
        [
            ("POST", {}, (400, ("missing_parameter", "List name is missing"))),
            ("POST", {"name": " ", "folderId": 1}, (400, ("missing_parameter", "List name is missing"))),
            ("POST", {"name": 7, "folderId": 1}, (400, ("invalid_parameter", "List name is not valid"))),
            ("POST", {"name": "a"}, (400, ("missing_parameter", "Folder ID is missing"))),
            ("POST", {"name": "a", "folderId": "1"}, (400, ("invalid_parameter", "Folder ID is not valid"))),
            ("POST", {"name": "a", "folderId": 7}, NO_FOLDER),
            ("PUT", {}, (400, ("missing_parameter", "Either of name or folderId is required"))),
            ("PUT", {"name": ""}, (400, ("invalid_parameter", "List name is not valid"))),
            ("PUT", {"folderId": "1"}, (400, ("invalid_parameter", "Folder ID is not valid"))),
            ("PUT", {"folderId": 7}, NO_FOLDER),
        ],
    )
    def test_bad_list_or_change_is_refused(self, contacts, method, body, refusal):
        number = contacts.list()

        assert contacts.call(method, "/lists" if method == "POST" else f"/lists/{number}", body) == refusal
        assert contacts.get("/lists")["count"] == 1

    @pytest.mark.parametrize(
        ("method", "path"),
        [("GET", ""), ("PUT", ""), ("DELETE", ""), ("GET", "/contacts"), ("POST", "/contacts/add"),
         ("POST", "/contacts/remove")],
    )  # fmt: skip
    def test_unknown_list_is_not_found(self, contacts, method, path):
        body = {"emails": ["a@acme.test"]} if method in ("POST", "PUT") else None

        assert contacts.call(method, f"/lists/7{path}", body) == NO_LIST
        refused = (400, ("invalid_parameter", "listId: Not a valid integer"))
        assert contacts.call(method, f"/lists/x{path}", body) == refused


class TestMembers:
    @pytest.fixture
    def here(self, contacts):
        contacts.list()
        for name in ("ada", "bob", "eve"):
            contacts.contact(f"{name}@acme.test", ext_id=name)
        return contacts

    def members(self, here):
        return [contact["id"] for contact in here.get("/lists/1/contacts")["contacts"]]

    @pytest.mark.parametrize(
        ("body", "success", "failure"),
        [
            ({"emails": ["ada@acme.test", "no@acme.test"]}, ["ada@acme.test"], ["no@acme.test"]),
            ({"ids": [1, 9]}, [1], [9]),
            ({"extIds": ["ada"]}, ["ada"], []),
        ],
    )
    def test_contacts_are_added_and_removed(self, here, body, success, failure):
        told = {"success": success, "failure": failure}

        assert here.call("POST", "/lists/1/contacts/add", body) == (201, {"contacts": told})
        assert (self.members(here), here.get("/1")["listIds"]) == ([1], [1])
        removed = here.call("POST", "/lists/1/contacts/remove", body)
        assert removed == (201, {"contacts": {**told, "total": 1}})
        assert (self.members(here), here.get("/1")["listIds"]) == ([], [])

    def test_member_of_a_list_is_not_added_again(self, here):
        here.call("POST", "/lists/1/contacts/add", {"ids": [1]})

        assert here.call("POST", "/lists/1/contacts/add", {"emails": ["ada@acme.test"]}) == NOT_ADDED
        assert here.call("POST", "/lists/1/contacts/remove", {"ids": [2]}) == NOT_REMOVED
        assert self.members(here) == [1]

    def test_process_removes_all_contacts_of_a_list(self, here):
        here.call("POST", "/lists/1/contacts/add", {"ids": [1, 2]})

        answer = here.call("POST", "/lists/1/contacts/remove", {"all": True})

        assert answer == (201, {"contacts": {"processId": 1, "total": 2}})
        assert (self.members(here), here.get("/2")["listIds"]) == ([], [])

    def test_a_contact_joins_and_leaves_lists_by_a_change(self, here):
        other = here.list()
        here.done("PUT", "/1", {"listIds": [1, other]})
        here.done("PUT", "/1", {"unlinkListIds": [1]})

        assert (self.members(here), here.get("/1")["listIds"]) == ([], [other])

    def test_a_deleted_contact_is_in_no_list(self, here):
        here.call("POST", "/lists/1/contacts/add", {"ids": [1, 2]})

        here.done("DELETE", "/1")

        assert self.members(here) == [2]

    def test_members_come_in_pages_the_last_one_first(self, here):
        here.call("POST", "/lists/1/contacts/add", {"ids": [1, 2, 3]})

        page = here.get("/lists/1/contacts?limit=2&offset=1")

        assert ([row["id"] for row in page["contacts"]], page["count"]) == ([2, 1], 3)
        assert here.get("/lists/1/contacts?modifiedSince=2026-02-01T00:00:00Z") == {"contacts": [], "count": 0}

    @pytest.mark.parametrize(
        ("body", "code"),
        [
            ({}, "missing_parameter"),
            ({"emails": []}, "missing_parameter"),
            ({"emails": "ada@acme.test"}, "invalid_parameter"),
            ({"emails": [7]}, "invalid_parameter"),
            ({"ids": ["1"]}, "invalid_parameter"),
            ({"ids": list(range(151))}, "out_of_range"),
        ],
    )
    @pytest.mark.parametrize("action", ["add", "remove"])
    def test_bad_choice_of_contacts_is_refused(self, here, action, body, code):
        assert here.call("POST", f"/lists/1/contacts/{action}", body)[1][0] == code


class TestFolders:
    def test_an_account_has_a_folder_from_the_beginning(self, contacts):
        row = {"id": 1, "name": "Your first folder"}
        row |= dict.fromkeys(("uniqueSubscribers", "totalSubscribers", "totalBlacklisted"), 0)

        assert contacts.get("/folders") == {"folders": [row], "count": 1}
        assert contacts.get("/folders/1") == row

    def test_a_folder_is_created_changed_and_deleted(self, contacts):
        number = contacts.made("/folders", name="Shops")
        contacts.done("PUT", f"/folders/{number}", {"name": "Stores"})

        assert [row["name"] for row in contacts.get("/folders")["folders"]] == ["Stores", "Your first folder"]
        contacts.done("DELETE", f"/folders/{number}")
        assert contacts.call("GET", f"/folders/{number}") == NO_FOLDER

    def test_a_folder_counts_a_contact_of_two_lists_once(self, contacts):
        lists = [contacts.list(), contacts.list()]
        contacts.contact("ada@acme.test", listIds=lists, emailBlacklisted=True)

        assert counts(contacts.get("/folders/1")) == counts(contacts.get("/folders")["folders"][0]) == (1, 0, 1)
        assert [row["id"] for row in contacts.get("/folders/1/lists?sort=asc")["lists"]] == lists

    def test_the_first_folder_is_deleted_with_its_lists(self, contacts):
        other = contacts.made("/folders", name="Other")
        kept = contacts.list(folder=other)
        contacts.contact("ada@acme.test", listIds=[contacts.list(), contacts.list(), kept])

        contacts.done("DELETE", "/folders/1")

        assert (contacts.get("/lists")["count"], contacts.get("/1")["listIds"]) == (1, [kept])
        assert contacts.get("/folders")["count"] == 1
        for method in ("GET", "PUT", "DELETE"):
            assert contacts.call(method, "/folders/1", {"name": "a"} if method == "PUT" else None) == NO_FOLDER
        assert contacts.call("POST", "/lists", {"name": "a", "folderId": 1}) == NO_FOLDER

    @pytest.mark.parametrize(("method", "body"), [("PUT", {"name": "Shops"}), ("DELETE", None)])
    def test_the_written_state_is_the_same_after_the_first_folder_is_changed(self, contacts, method, body):
        contacts.done(method, "/folders/1", body)
        state = contacts.api.get("/_mock/state").json

        assert contacts.api.put("/_mock/state", json=state).status_code == 200

        assert contacts.api.get("/_mock/state").json == state

    @pytest.mark.parametrize(("body", "code"), [({}, "missing_parameter"), ({"name": 7}, "invalid_parameter")])
    def test_a_folder_needs_a_name(self, contacts, body, code):
        assert contacts.call("POST", "/folders", body)[1][0] == code
        assert contacts.call("PUT", "/folders/1", body)[1][0] == code


class TestAttributes:
    def test_an_attribute_that_was_created_is_deleted_by_the_operation(self, contacts):
        assert contacts.call("POST", "/attributes/normal/PLAN", {"type": "text"}) == (201, None)
        assert contacts.get("/attributes") == {"attributes": [{"name": "PLAN", "category": "normal", "type": "text"}]}

        contacts.done("DELETE", "/attributes/normal/PLAN")

        assert contacts.get("/attributes") == {"attributes": []}
        assert contacts.call("DELETE", "/attributes/normal/PLAN")[1] == ("document_not_found", "Attribute not found")

    def test_contacts_have_no_value_of_a_deleted_attribute(self, contacts):
        for name in ("PLAN", "CITY"):
            contacts.call("POST", f"/attributes/normal/{name}", {"type": "text"})
        contacts.contact("ada@acme.test", attributes={"PLAN": "pro", "CITY": "Rome"})

        contacts.done("DELETE", "/attributes/normal/PLAN")

        assert contacts.get("/1")["attributes"] == contacts.get()["contacts"][0]["attributes"] == {"CITY": "Rome"}

    def test_attributes_of_a_scenario_are_listed_too(self, contacts):
        contacts.api.post("/_mock/seed", json={"attributes": {"normal": ["CITY"], "global": ["ALL"]}})

        assert contacts.get("/attributes")["attributes"] == [
            {"name": "CITY", "category": "normal", "type": "text"},
            {"name": "ALL", "category": "global"},
        ]

    @pytest.mark.parametrize(
        ("address", "body", "shown"),
        [
            ("normal/TAGS", {"type": "multiple-choice", "multiCategoryOptions": ["a"]},
             {"type": "multiple-choice", "multiCategoryOptions": ["a"]}),
            ("normal/PLAIN", {"isRecurring": False}, {"type": "text"}),
            ("transactional/ORDER", {"type": "id"}, {"type": "id"}),
            ("category/SIZE", {"enumeration": [{"value": 1, "label": "S"}]},
             {"enumeration": [{"value": 1, "label": "S", "valueStr": "1"}]}),
            ("calculated/SUM", {"value": "COUNT[A]"}, {"calculatedValue": "COUNT[A]"}),
        ],
    )  # fmt: skip
    def test_an_attribute_is_shown_by_its_category(self, contacts, address, body, shown):
        category, name = address.split("/")

        assert contacts.call("POST", f"/attributes/{address}", body) == (201, None)

        assert contacts.get("/attributes")["attributes"] == [{"name": name, "category": category, **shown}]

    def test_update_of_an_attribute_changes_its_values(self, contacts):
        contacts.call("POST", "/attributes/category/SIZE", {"enumeration": [{"value": 1, "label": "S"}]})

        contacts.done("PUT", "/attributes/category/SIZE", {"enumeration": [{"value": 2, "label": "M"}]})

        assert contacts.get("/attributes")["attributes"][0]["enumeration"] == [
            {"value": 2, "label": "M", "valueStr": "2"}
        ]
        missing = (404, ("document_not_found", "Attribute not found"))
        assert contacts.call("PUT", "/attributes/normal/SIZE", {"value": "x"}) == missing

    @pytest.mark.parametrize(
        ("address", "body", "code"),
        [
            ("other/A", {}, "invalid_parameter"),
            ("normal/A", [], "bad_request"),
            ("normal/A", {"type": "id"}, "invalid_parameter"),
            ("normal/A", {}, "missing_parameter"),
            ("global/A", {"isRecurring": False}, "missing_parameter"),
            ("category/A", {"enumeration": [{"value": 1}]}, "invalid_parameter"),
            ("normal/A", {"type": "multiple-choice", "multiCategoryOptions": [1]}, "invalid_parameter"),
            (f"normal/{'A' * 51}", {"type": "text"}, "invalid_parameter"),
        ],
    )
    def test_a_bad_attribute_is_refused(self, contacts, address, body, code):
        assert contacts.call("POST", f"/attributes/{address}", body)[1][0] == code
        assert contacts.get("/attributes") == {"attributes": []}

    def test_duplicate_attribute_creation_is_refused_within_its_category(self, contacts):
        contacts.call("POST", "/attributes/normal/PLAN", {"type": "text"})

        again = contacts.call("POST", "/attributes/normal/PLAN", {"type": "text"})

        assert again == (400, ("invalid_parameter", "Attribute name must be unique"))
        assert contacts.call("POST", "/attributes/transactional/PLAN", {"type": "text"})[0] == 201
