"""The figures against the journal, counted here by other means."""

from collections import Counter

import pytest

#: The optional members of the history's operations, as the contract has them.
OPTIONAL = {
    "getSenders": {"ip", "domain"},
    "createSender": {"ips", "ips[].weight"},
    "updateSender": {"name", "email", "ips", "ips[].weight"},
    "createWebhook": {
        "events", "description", "domain", "batched", "type", "channel",
        "auth", "auth.type", "auth.token", "headers", "headers[].key", "headers[].value",
    },
}  # fmt: skip


@pytest.fixture
def journal(played):
    answer = played.get("/_mock/requests?limit=1000").json
    assert answer["evicted"] == 0
    return [row for row in answer["items"] if row["operation"]]


@pytest.fixture
def found(played, coverage):
    return coverage(played)


def names(value, prefix=""):
    """The names of all members of a body or a query."""
    for key, inner in value.items():
        yield f"{prefix}{key}"
        if isinstance(inner, dict):
            yield from names(inner, f"{prefix}{key}.")
        elif isinstance(inner, list):
            for item in inner:
                yield from names(item if isinstance(item, dict) else {}, f"{prefix}{key}[].")


def code(row):
    body = row["answer"]["body"]
    return body.get("code") if isinstance(body, dict) else None


def test_counted_calls_and_statuses_equal_those_in_the_journal(journal, found):
    counted = Counter(row["operation"] for row in journal)

    assert {name: row["calls"] for name, row in found["operations"].items()} == counted
    assert sum(counted.values()) == 14

    counted = Counter((row["operation"], str(row["status"])) for row in journal)

    assert counted == {
        (name, status): number
        for name, row in found["operations"].items()
        for status, number in row["statuses"].items()
    }


def is_injected(row):
    """Whether a fault made the answer; one that is only late is the service's own."""
    return "injected by fault" in (row["reason"] or "")


def test_codes_are_those_of_the_journal_and_know_faults(journal, found):
    counted = Counter((row["operation"], code(row), is_injected(row)) for row in journal if code(row))

    assert counted == {
        (operation, name, kind == "injected"): number
        for operation, row in found["operations"].items()
        for name, count in row["codes"].items()
        for kind, number in count.items()
        if number
    }
    assert counted["validateSenderByOtp", "OTP code has expired", True] == 1
    assert counted["validateSenderByOtp", "OTP code has expired", False] == 1


def test_fields_are_the_optional_members_that_were_sent(journal, found):
    counted = Counter(
        (row["operation"], name)
        for row in journal
        if not is_injected(row)  # the service has not read it
        for name in {*names(row["query"]), *names(row["request"]["body"] or {})} & OPTIONAL.get(row["operation"], set())
    )

    assert counted == {
        (operation, name): number
        for operation, row in found["operations"].items()
        for name, number in row["fields"].items()
    }
    assert counted["createWebhook", "headers[].key"] == 1


def test_transitions_are_those_of_the_journal_and_of_the_clock(journal, found):
    counted = Counter((change["machine"], change["event"]) for row in journal for change in row["transitions"])

    # The codes of both senders that wait for one run out.
    assert counted + Counter({("sender", "expire_otp"): 2}) == {
        (machine, event): number for machine, row in found["transitions"].items() for event, number in row.items()
    }


def test_totals_count_what_the_contract_holds_once_each(found):
    assert {name: row["met"] for name, row in found["totals"].items()} == {
        "operations": 7,
        # getAccount's 500 is none of the contract's
        "statuses": 1 + 2 + 2 + 1 + 1 + 1,
        "codes": 2 + 1 + 2,
        "fields": 2 + 1 + 7,
        "transitions": 3,
    }


def test_percentages_are_relative_to_all_points_and_rounded_down(found, contract_size):
    totals = found["totals"]
    for row in totals.values():
        assert row["percent"] == int(row["met"] / row["of"] * 1000) / 10
    assert totals["operations"]["of"] == contract_size.operations
    assert sum(row["of"] for row in totals.values()) == contract_size.points
    assert found["percent"] == int(sum(row["met"] for row in totals.values()) / contract_size.points * 1000) / 10
