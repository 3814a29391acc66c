"""Reset, snapshots and restore: what each keeps and what it drops, and for which workspace."""

from __future__ import annotations

import pytest


@pytest.fixture
def busy(workspace):
    """A workspace in which something of everything has happened, and a snapshot of its name was kept before it."""
    workspace.post("/_mock/snapshots", {"name": "early"})
    workspace.new_sender("a@acme.test")
    workspace.post("/_mock/faults", {"fault": "latency", "ms": 0, "id": "f"})
    workspace.get("/v3/senders")
    workspace.post("/_mock/clock/advance", {"by": "PT1H"})
    workspace.put("/_mock/dns/x.test", {"brevo_code": "ok"})
    return workspace


def seen(workspace):
    """What there is of each thing that a workspace holds."""
    return {
        "senders": len(workspace.get("/_mock/machines/sender").json["items"]),
        "journal": len(workspace.journal),
        "mails": workspace.get("/_mock/mailbox").json["count"],
        "faults": [(row["id"], row["hits"]) for row in workspace.get("/_mock/faults").json["items"]],
        "clock": workspace.get("/_mock/clock").json["now"][11:16],
        "coverage": workspace.get("/_mock/coverage").json["totals"]["operations"]["met"],
        "snapshots": [row["name"] for row in workspace.get("/_mock/snapshots").json["items"]],
    }


ALL = {"senders": 2, "journal": 2, "mails": 1, "faults": [("f", 1)], "clock": "10:00", "coverage": 2}
ALL["snapshots"] = ["early"]


def test_a_reset_begins_everything_anew_but_the_snapshots(busy):
    assert seen(busy) == ALL
    assert busy.post("/_mock/reset").status_code == 200

    assert seen(busy) == {**dict.fromkeys(ALL, 0), "senders": 1, "faults": [], "clock": "09:00", "snapshots": ["early"]}


def test_after_a_reset_the_same_requests_get_the_same_answers(workspace):
    def day():
        answers = [
            workspace.new_sender("a@acme.test"),
            workspace.post("/v3/corporate/subAccount/key", {"id": 1000002, "name": "CI"}),
            workspace.put("/v3/senders/2/validate", {"otp": 1}),
            workspace.get("/_mock/mailbox"),
        ]
        return [(row.status_code, row.data, row.headers.get("sib-request-id")) for row in answers]

    first = day()
    workspace.post("/_mock/reset")

    assert day() == first


def test_coverage_before_a_reset_stays_in_the_servers_total(busy):
    def total():
        return busy.api.get("/_mock/coverage?workspace=*").json["operations"]["createSender"]["calls"]

    busy.post("/_mock/reset")
    after_reset = total()
    busy.new_sender("z@acme.test")
    busy.api.delete(f"/_mock/workspaces/{busy.name}")

    assert (after_reset, total()) == (1, 2)


def test_a_restore_returns_to_the_moment_and_lets_journal_and_coverage_go_on(busy):
    assert busy.post("/_mock/snapshots/early/restore").status_code == 200

    assert seen(busy) == {**ALL, "senders": 1, "mails": 0, "faults": [], "clock": "09:00"}
    busy.get("/v3/account")
    assert (seen(busy)["journal"], seen(busy)["coverage"]) == (3, 3)


def test_faults_mails_and_clock_come_back_with_a_snapshot_after_a_reset(busy):
    busy.post("/_mock/snapshots", {"name": "late"})
    state = busy.state
    busy.post("/_mock/reset")
    busy.post("/_mock/snapshots/late/restore")

    assert seen(busy) == {**ALL, "journal": 0, "coverage": 0, "snapshots": ["early", "late"]}
    assert busy.state == state


def test_snapshot_can_be_restored_several_times(busy):
    busy.post("/_mock/snapshots", {"name": "late"})
    state = busy.state
    for _ in range(3):
        busy.delete("/v3/senders/2")
        busy.put("/v3/corporate/subAccount/1000002/plan", {"credits": {"email": 5}})
        busy.get("/v3/senders")
        assert busy.post("/_mock/snapshots/late/restore").status_code == 200
        assert busy.state == state


def test_put_state_lets_journal_mailbox_and_coverage_go_on(busy, story):
    assert busy.put("/_mock/state", story).status_code == 200

    assert seen(busy) == {**ALL, "senders": 1, "faults": [], "clock": "09:00"}


def test_put_state_leaves_the_accounts_that_a_reset_goes_back_to(busy):
    busy.put("/_mock/state", {"accounts": [{"name": "other"}]})
    busy.post("/_mock/reset")

    assert list(busy.keys) == ["acme", "eu", "us", "other"]


@pytest.mark.parametrize("change", ["put", "restore", "seed"])
def test_no_request_and_no_mail_gets_an_id_that_another_one_has(workspace, change):
    workspace.post("/_mock/snapshots", {"name": "early"})
    written = workspace.state
    for number in range(4):
        workspace.new_sender(f"{number}@acme.test")
        if change == "put":
            workspace.put("/_mock/state", written)
        elif change == "restore":
            workspace.post("/_mock/snapshots/early/restore")
        else:
            workspace.post("/_mock/seed", {"senders": [{"name": "A", "email": f"{number}@b.test"}]})

    requests = [row["id"] for row in workspace.journal]
    mails = [row["id"] for row in workspace.get("/_mock/mailbox").json["items"]]
    assert len(set(requests)) == len(requests) == 4
    assert len(set(mails)) == len(mails) == (0 if change == "restore" else 4)


def test_a_request_alone_changes_no_state(workspace):
    before = workspace.state
    for path in ("/v3/senders", "/v3/account", "/v3/nowhere"):
        workspace.get(path)

    assert workspace.state == before


@pytest.mark.parametrize("way", ["json", "yaml"])
def test_fault_hits_passed_counts_draws_and_ids_are_part_of_the_state(make_api, default_workspace, story, way):
    workspace = default_workspace(make_api(story))
    workspace.post("/_mock/faults", {"fault": "unavailable", "after": 3, "times": 4})
    workspace.post("/_mock/faults", {"fault": "server_error", "probability": 0.5, "match": {"operation": "getAccount"}})
    for path in ["/v3/senders"] * 2 + ["/v3/account"] * 8:
        workspace.get(path)
    accept = f"application/{way}"
    text = workspace.get("/_mock/state", headers={"Accept": accept}).data
    later = [workspace.get("/v3/account").status_code for _ in range(10)]

    workspace.put("/_mock/state", data=text, content_type=accept)

    assert workspace.get("/_mock/state", headers={"Accept": accept}).data == text
    assert [workspace.get("/v3/account").status_code for _ in range(10)] == later
    assert {200, 500} == set(later)


# ---------------------------------------------------------------------- the list of snapshots


def test_snapshots_are_listed_oldest_first_with_their_moment(workspace, new_workspace):
    workspace.post("/_mock/snapshots", {"name": "b"})
    workspace.post("/_mock/clock/advance", {"by": "PT1H"})
    for name in ({}, {"name": "a"}):
        workspace.post("/_mock/snapshots", name)

    nine, ten = "2026-01-15T09:00:00Z", "2026-01-15T10:00:00Z"
    rows = [{"name": name, "at": at} for name, at in (("b", nine), ("snapshot-2", ten), ("a", ten))]
    assert workspace.get("/_mock/snapshots").json == {"items": rows, "count": 3}
    assert new_workspace(workspace.api).post("/_mock/snapshots/a/restore").status_code == 404


def test_snapshot_of_the_same_name_is_replaced_and_listed_last(workspace):
    for name in ("a", "b", "a"):
        workspace.post("/_mock/snapshots", {"name": name})
        workspace.new_sender(f"{name}{len(workspace.journal)}@acme.test")

    assert [row["name"] for row in workspace.get("/_mock/snapshots").json["items"]] == ["b", "a"]
    workspace.post("/_mock/snapshots/a/restore")
    assert len(workspace.get("/_mock/machines/sender").json["items"]) == 3


def test_names_that_are_drawn_never_take_the_place_of_another(workspace):
    workspace.post("/_mock/snapshots", {"name": "snapshot-2"})

    assert workspace.post("/_mock/snapshots", {}).json["name"] == "snapshot-3"


def test_snapshots_are_deleted_individually_or_all(workspace):
    for name in ("a", "b", "c"):
        workspace.post("/_mock/snapshots", {"name": name})

    assert workspace.delete("/_mock/snapshots/b").status_code == 204
    assert [row["name"] for row in workspace.get("/_mock/snapshots").json["items"]] == ["a", "c"]
    assert workspace.delete("/_mock/snapshots").status_code == 204
    assert workspace.get("/_mock/snapshots").json["count"] == 0


def test_unknown_snapshot_is_404_and_changes_nothing(busy):
    for method, path in [("POST", "/_mock/snapshots/x/restore"), ("DELETE", "/_mock/snapshots/x")]:
        before = seen(busy)

        assert busy.ask(method, path).status_code == 404
        assert seen(busy) == before


def test_snapshots_beyond_the_limit_are_refused(make_api, default_workspace):
    workspace = default_workspace(make_api("empty", snapshots_limit=2))
    answers = [workspace.post("/_mock/snapshots", {"name": name}).status_code for name in ("a", "b", "c", "b")]

    assert answers == [201, 201, 409, 201]


def test_invalid_snapshot_name_is_refused(workspace):
    for name in ("", "a/b", "-", "a" * 65, 7):
        answer = workspace.post("/_mock/snapshots", {"name": name})

        assert (answer.status_code, answer.json["errors"][0]["path"]) == (400, "/name")


# ---------------------------------------------------------------------- bad documents


def test_a_bad_document_is_told_and_changes_nothing(busy):
    for raw, kind in [
        (b'{"accounts": [{"nmae": "a"}]}', "application/json"),
        (b"accounts: [{nmae: a}]", "application/yaml"),
        (b"a: [", "application/yaml"),
        (b"- a", "application/yaml"),
        (b"\xff", "application/yaml"),
        (b"a: !!python/object:os.system {}", "application/yaml"),
        (b"[]", "application/json"),
        (b"{", "application/json"),
        (b'{"extends": "nothing"}', "application/json"),
        (b'{"faults": [{"fault": "unavailable", "id": "a"}, {"fault": "unavailable", "id": "a"}]}', "application/json"),
    ]:
        before = busy.state, seen(busy), busy.keys

        answer = busy.put("/_mock/state", data=raw, content_type=kind)

        assert (answer.status_code, answer.content_type) == (400, "application/problem+json")
        assert answer.json["errors"]
        assert (busy.state, seen(busy), busy.keys) == before
