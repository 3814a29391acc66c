"""What is missing, in the order in which it tells a team most."""

import pytest
from tables import tables

from mockserver.core.traffic.coverage import Coverage
from mockserver.coverage.report import report

#: The tables of the tests by name.
CASES = tables(__file__)


@pytest.fixture
def missing():
    """The sentences after so many successful calls, by operation, and the codes met."""

    def find(codes=(), transitions=(), **calls):
        coverage = Coverage()
        for operation, number in calls.items():
            coverage.answers[operation, 204] += number
        coverage.codes.update(dict.fromkeys(codes, 1))
        coverage.transitions.update(dict.fromkeys(map(tuple, transitions), 1))
        return list(report(coverage).missing)

    return find


def test_documented_sentences_of_what_is_called_come_first_and_unused_operations_have_one(missing):
    found = missing(validateSenderByOtp=1)

    assert found[:2] == [
        "validateSenderByOtp: `Invalid OTP code provided` never met",
        "validateSenderByOtp: `OTP code has expired` never met",
    ]
    assert [sentence for sentence in found if sentence.startswith("createWebhook")] == ["createWebhook never called"]
    assert [sentence for sentence in found if sentence.startswith("domain:")] == ["domain: no event met"]


#: Calls by operation, and sentences in their order.
ORDERED = CASES["ordered"]


@pytest.mark.parametrize(("met", "expected"), ORDERED.values(), ids=ORDERED)
def test_missing_points_are_ordered_by_importance(missing, met, expected):
    found = missing(**met)

    places = [found.index(sentence) for sentence in expected]
    assert places == sorted(places)


def test_a_code_that_only_a_fault_has_shown_is_not_missing(missing):
    found = missing(validateSenderByOtp=1, codes=[("validateSenderByOtp", "OTP code has expired", True)])

    assert "validateSenderByOtp: `OTP code has expired` never met" not in found


def test_called_operation_has_a_sentence_for_each_missing_point(missing):
    """Of an operation that is called, every gap has its sentence."""
    found = missing(getSenders=1)

    assert [sentence for sentence in found if sentence.startswith("getSenders")] == [
        "getSenders: status 200 never met",
        "getSenders: field `ip` never sent",
        "getSenders: field `domain` never sent",
    ]


def test_complete_coverage_has_no_missing_points():
    coverage = Coverage()
    everything = report(coverage)
    for rows in everything.operations.values():
        for row in rows:
            kind, owner, name = row.point
            if kind == "statuses":
                coverage.answers[owner, int(name)] += 1
            elif kind == "codes":
                coverage.codes[owner, name, False] += 1
            elif kind == "fields":
                coverage.fields[owner, name] += 1
    for rows in everything.machines.values():
        coverage.transitions.update({(row.point.owner, row.point.name): 1 for row in rows})

    found = report(coverage)

    assert (found.missing, found.percent) == ((), 100.0)
