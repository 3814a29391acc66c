"""The rule `first-page-only`; the workspace has 12 lists, of which an answer has 10 by default."""

from __future__ import annotations

import pytest
from lint.calls import Call

RULE = "first-page-only"
LISTS = Call("GET", "/v3/contacts/lists")
TEN = "getLists answered 10 of 12 rows, and no further offset was asked for; 2 were never read"


def lists(query):
    return Call("GET", f"/v3/contacts/lists?{query}")


FOUND = {
    "without any parameter": ([LISTS], [0]),
    "from offset 0": ([lists("offset=0&limit=10")], [0]),
    "again and again": ([LISTS, LISTS], [0, 1]),
    "for a row that is not there": (
        [Call("POST", "/v3/contacts/lists", {"name": "News", "folderId": 1}, fault="server_error"), LISTS], [1],
    ),
    "after a row of another kind was named": (
        [
            Call("GET", "/v3/contacts/folders/7"), Call("POST", "/v3/contacts", {"email": "a@b.test", "listIds": [7]}),
            LISTS,
        ],
        [2],
    ),
    "by a client that has changed all of its rows": (
        [*(Call("PUT", f"/v3/contacts/lists/{number}", {"name": "x"}) for number in range(1, 13)), LISTS], [12],
    ),
    "before all rows are processed": (
        [LISTS, *(Call("PUT", f"/v3/contacts/lists/{number}", {"name": "x"}) for number in range(3, 13))], [0],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("calls", "places"), FOUND.values(), ids=FOUND)
def test_first_page_alone_is_found(check, calls, places):
    check(RULE, calls, TEN, places)


SILENT = {
    "the next page was read": [LISTS, lists("offset=10")],
    "the next page was asked for, and not answered": [LISTS, Call("GET", lists("offset=10").path, fault="unavailable")],
    "a page has all rows": [LISTS, lists("limit=50")],
    "few rows are wanted": [lists("limit=1")],
    "the newest rows are wanted": [lists("limit=10&sort=desc")],
    "the page was searched for one row": [
        LISTS, Call("POST", "/v3/contacts/lists/7/contacts/add", {"emails": ["ada@acme.test"]}),
    ],
    "the row of a lost write is on the page": [
        Call("POST", "/v3/contacts/lists", {"name": "News", "folderId": 1}, fault="lost_answer"), LISTS,
    ],
    "the row of a lost change is on the page": [
        Call("PUT", "/v3/contacts/lists/7", {"name": "News"}, fault="lost_answer"), LISTS,
    ],
    "the row was asked for before": [Call("GET", "/v3/contacts/lists/12", fault="server_error"), LISTS],
    "the same of several rows": [
        *(Call("POST", "/v3/contacts/lists", {"name": f"News {number}", "folderId": 1}) for number in range(3)), LISTS,
    ],
    "there is one page": [Call("GET", "/v3/contacts/folders")],
    "the client got no whole answer": [Call("GET", "/v3/contacts/lists", fault="connection_reset")],
    "the operation has no pages": [Call("GET", "/v3/senders/domains")],
}  # fmt: skip


@pytest.mark.parametrize("calls", SILENT.values(), ids=SILENT)
def test_list_is_read_as_far_as_wanted_if(check, calls):
    check(RULE, calls)


#: Rows in a scenario, and the list of them with the number of rows that it answers by default.
FURTHER = {
    "getEmailCampaigns": ("/v3/emailCampaigns", "email_campaign", 50),
    "getSmtpTemplates": ("/v3/smtp/templates", "email_template", 50),
}


@pytest.mark.parametrize("operation", FURTHER)
def test_first_page_of_campaigns_and_templates_is_found(api, check, operation):
    path, kind, usual = FURTHER[operation]
    rows = [{"name": f"row {number}", "kind": kind} for number in range(usual + 2)]
    assert api.post("/_mock/seed", json={"accounts": [{"name": "acme", "campaigns": rows}]}).status_code == 200

    message = f"{operation} answered {usual} of {usual + 2} rows, and no further offset was asked for"
    check(RULE, [Call("GET", path)], f"{message}; 2 were never read", [0])


def test_first_page_of_processes_is_found(check):
    body = {"jsonBody": [{"email": "ada@acme.test"}], "listIds": [1]}
    imports = [Call("POST", "/v3/contacts/import", body)] * 12

    message = "getProcesses answered 10 of 12 rows, and no further offset was asked for; 2 were never read"
    check(RULE, [*imports, Call("GET", "/v3/processes")], message, [12])
