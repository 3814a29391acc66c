"""Imports step by step on the clock, by hand, and over new starts; what is told of them."""

import pytest
from stored_workspace import read_again

from mockserver.app.server_effects import ServerEffects
from mockserver.resources.contacts import imports as pieces
from mockserver.resources.processes.process import COUNTS, Process

BOB = "EMAIL;NAME\nbob@a.test;Bob"
ROWS = 1_000
MANY = "EMAIL;NAME\n" + "".join(f"u{number}@a.test;User {number}\n" for number in range(ROWS))


def status(imports, number=1):
    return imports.process(number)["status"]


def count(imports):
    return imports.get("/contacts?limit=1")["count"] - 1


def test_an_import_is_queued_then_processing_then_completed_on_the_clock(imports):
    number = imports.begin(BOB)

    assert (number, status(imports), count(imports)) == (1, "queued", 0)
    imports.api.advance("PT1S")
    assert (status(imports), count(imports)) == ("processing", 1)
    imports.api.advance("PT8S")
    assert status(imports) == "processing"
    imports.api.advance("PT1S")

    assert imports.process(1) == {
        "id": 1,
        "name": "IMPORTUSER",
        "status": "completed",
        "created_at": "2026-01-15T09:00:00.000Z",
        "completed_at": "2026-01-15T09:00:10.000Z",
        "info": {"import": dict.fromkeys(COUNTS, 0)},
    }


def test_rows_are_imported_piece_by_piece(imports):
    imports.begin(MANY)
    imports.api.advance("PT1S")
    assert count(imports) == 100
    imports.api.advance("PT0.009S")
    assert count(imports) == 100
    imports.api.advance("PT0.001S")
    assert count(imports) == 200
    imports.api.advance("PT1M")
    assert (count(imports), status(imports)) == (ROWS, "completed")


def test_pieces_grow_with_the_contacts_that_a_store_saves(imports, monkeypatch):
    monkeypatch.setattr(pieces, "_ROWS", 10)
    monkeypatch.setattr(pieces, "_PART", 2)
    access = imports.api.workspace.access
    access.saved = access.saved or object()
    imports.begin(MANY)
    imports.api.advance("PT1.01S")
    assert count(imports) == 30
    imports.api.advance("PT0.005S")
    assert count(imports) == 45


def test_an_import_takes_no_time_if_the_behaviour_says_so(imports_of):
    imports = imports_of(behaviour={"contact_import": {"after": "PT0S"}})
    imports.begin(MANY)
    assert (status(imports), count(imports)) == ("completed", ROWS)


def test_an_import_is_over_later_if_its_rows_need_longer(imports_of):
    imports = imports_of(behaviour={"contact_import": {"after": "PT0.05S"}})
    imports.begin(MANY)
    imports.api.advance("PT0.05S")
    assert status(imports) == "processing"
    imports.api.advance("PT1S")
    assert (status(imports), count(imports)) == ("completed", ROWS)


@pytest.mark.parametrize(("events", "expected"), [
    (["cancel"], ("cancelled", 0)), (["fail"], ("failed", 0)), (["start", "cancel"], ("cancelled", 100)),
    (["start", "fail"], ("failed", 100)), (["start", "complete"], ("completed", ROWS)),
], ids=lambda value: "-".join(map(str, value)))  # fmt: skip
def test_events_by_hand_end_an_import_for_good(imports, events, expected):
    imports.begin(MANY)
    for event in events:
        assert imports.api.post(f"/_mock/machines/process/1/{event}").status_code == 200
    imports.api.advance("P1D")
    assert (status(imports), count(imports)) == expected
    assert imports.api.workspace.state.timers.count == 0
    assert ("error" in imports.process(1)) == (expected[0] != "completed")


@pytest.mark.parametrize("limits", [{"rows_limit": 500}, {"stored_bytes_limit": 300_000}], ids=str)
def test_an_import_fails_at_a_limit_and_keeps_what_it_has_imported(imports_of, limits):
    imports = imports_of(limits)
    imports.begin(MANY)
    imports.api.advance("PT1M")
    found = imports.process(1)
    assert (found["status"], next(iter(limits)).replace("_", "-") in found["error"]) == ("failed", True)
    assert 0 < count(imports) < ROWS


@pytest.mark.parametrize("after", ["PT0S", "PT1S", "PT1.05S", "PT1M"])
@pytest.mark.parametrize(
    "content",
    [f"{MANY}u0@a.test;Again", [{"email": f"u{number}@a.test"} for number in (*range(ROWS), 0)]],
    ids=["csv", "json"],
)
def test_a_state_goes_on_with_an_import_wherever_it_was_written(imports, content, after):
    imports.begin(content, newList={"listName": "New", "folderId": 1})
    imports.api.advance(after)
    written = imports.api.get("/_mock/state").json
    imports.api.advance("PT1M")
    expected = imports.api.get("/_mock/state").json
    assert imports.process(1)["info"]["import"]["duplicate_email_id"] == 1
    tally = imports.api.workspace.state.tally.stored

    assert imports.api.put("/_mock/state", json=written).status_code == 200
    assert imports.api.get("/_mock/state").json == written
    imports.api.advance("PT1M")

    assert imports.api.get("/_mock/state").json["accounts"] == expected["accounts"]
    assert imports.api.workspace.state.tally.stored == tally


def test_stored_bytes_are_given_back_at_the_end(imports):
    imports.begin(MANY)
    tally, before = imports.api.workspace.state.tally, imports.api.workspace.state.tally.stored
    imports.api.post("/_mock/machines/process/1/cancel")
    assert before - tally.stored > len(MANY)


def test_lists_that_are_deleted_meanwhile_are_left_out(imports):
    imports.begin(BOB, listIds=[1, 2])
    assert imports.api.delete("/v3/contacts/lists/1").status_code == 204
    imports.api.advance("PT1M")
    assert (status(imports), imports.members(2)) == ("completed", ["bob@a.test"])


@pytest.mark.parametrize(("events", "expected"), [([], "completed"), (["fail"], "failed"), (["cancel"], None)])
def test_notify_url_is_told_of_the_end(imports, server, events, expected):
    imports.begin(BOB, notifyUrl=f"{server.url}/done")
    for event in events:
        imports.api.post(f"/_mock/machines/process/1/{event}")
    imports.api.advance("PT1M")
    assert server.told == ([{"processId": 1, "status": expected}] if expected else [])
    assert [row["event"] for row in imports.api.get("/_mock/deliveries").json["items"]] == ["import"] * bool(expected)


def test_webhooks_are_told_of_contacts_that_join_lists_and_change(imports_of, server):
    webhook = {"id": 1, "url": f"{server.url}/hook", "type": "marketing", "events": ["listAddition", "contactUpdated"]}
    imports = imports_of(webhooks=[webhook])
    imports.done("EMAIL;NAME\nbob@a.test;Bob\nada@acme.test;Augusta")
    imports.api.advance("PT1M")
    told = [(row["event"], row["email"]) for row in server.told if "email" in row]
    assert sorted(told) == [
        ("contact_updated", "ada@acme.test"),
        ("list_addition", "ada@acme.test"),
        ("list_addition", "bob@a.test"),
    ]


FETCHED = {
    "csv": (b"EMAIL;NAME\r\nbob@a.test;Bob", ["bob@a.test"]),
    "a byte order mark": ("\ufeffEMAIL,NAME\nbob@a.test,Bob".encode(), ["bob@a.test"]),
    "bytes that are not UTF-8": (b"EMAIL;NAME\nbob@a.test;B\xf6b\n\xff@a.test;x", ["bob@a.test"]),
    "json": (b' [{"email": "bob@a.test"}, 7]', ["bob@a.test"]),
}


@pytest.mark.parametrize(("content", "expected"), FETCHED.values(), ids=FETCHED)
def test_a_file_is_fetched_when_the_import_starts(imports, server, content, expected):
    server.content = content
    assert imports.ask({"fileUrl": f"{server.url}/contacts.csv", "listIds": [1]}) == (202, {"processId": 1})
    assert server.asked == []
    imports.api.advance("PT1M")
    assert (status(imports), imports.members(1), server.asked) == ("completed", expected, ["/contacts.csv"])


UNUSABLE = {
    "a status": (404, b"", "the file cannot be fetched: it answered 404"),
    "a redirect": (302, b"", "the file cannot be fetched: it answered 302"),
    "no header": (200, b"bob@a.test", "the file has the columns bob@a.test; expected a column EMAIL, SMS or EXT_ID"),
    "nothing": (200, b"", "the file has no header; expected a column EMAIL, SMS or EXT_ID"),
    "broken JSON": (200, b"[{", "the file is invalid JSON: "),
    "too much": (
        200,
        b"x" * (20 * 1024 * 1024 + 1),
        "the file cannot be fetched: the answer has more than 20,971,520 bytes",
    ),
}


@pytest.mark.parametrize(("code", "content", "error"), UNUSABLE.values(), ids=UNUSABLE)
def test_an_import_fails_without_a_usable_file(imports, server, code, content, error):
    server.status, server.content = code, content
    imports.ask({"fileUrl": f"{server.url}/contacts.csv", "listIds": [1]})
    imports.api.advance("PT1M")
    found = imports.process(1)
    assert (found["status"], found["error"][: len(error)]) == ("failed", error)


def test_the_egress_rules_hold_for_files(imports):
    imports.ask({"fileUrl": "http://169.254.169.254/latest", "listIds": [1]})
    imports.api.advance("PT1M")
    found = imports.process(1)
    assert (found["status"], "egress refused: 169.254.169.254" in found["error"]) == ("failed", True)


def test_a_state_fetches_a_file_again_that_it_has_not(imports, server):
    server.content = BOB.encode()
    imports.ask({"fileUrl": f"{server.url}/contacts.csv", "listIds": [1]})
    written = imports.api.get("/_mock/state").json
    imports.api.put("/_mock/state", json=written)
    imports.api.advance("PT1M")
    assert (status(imports), imports.members(1)) == ("completed", ["bob@a.test"])


def test_a_fetch_that_was_interrupted_is_made_again(imports, monkeypatch):
    monkeypatch.setattr(ServerEffects, "call", lambda self, url, job: None)
    imports.ask({"fileUrl": "http://127.0.0.1:9/contacts.csv", "listIds": [1]})
    imports.api.post("/_mock/machines/process/1/start")
    read = read_again(imports.api.workspace)
    assert len(read.jobs) == 1

    read.resume(lambda server: True)

    (row,) = read.state.first_account.rows_of(Process).values()
    assert (row.state, row.error) == ("failed", "the file cannot be fetched: not sent: no server runs this workspace")
