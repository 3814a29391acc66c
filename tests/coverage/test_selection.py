"""What a percentage counts: all of the contract, the operations that were used, or those of a list."""

import pytest

from mockserver.coverage.figures import added
from mockserver.coverage.selection import countable, operations, parse
from mockserver.resources.registry import FURTHER_MACHINES, FURTHER_OPERATIONS


def test_the_34_operations_are_counted_by_default(played, coverage, contract_size):
    found = coverage(played)

    counted = countable() - FURTHER_OPERATIONS.keys() - FURTHER_MACHINES
    assert (found["of"], len(found["counted"])) == ("specification", len(counted))
    assert found["totals"]["operations"]["of"] == contract_size.operations
    assert coverage(played, "?of=specification") == found


def test_used_are_the_operations_that_were_called_and_the_machines_that_have_moved(played, coverage):
    found = coverage(played, "?of=used")

    called = ["createSender", "createWebhook", "deleteSender", "getAccount", "getSenders", "updateSender"]
    assert sorted(found["counted"]) == sorted([*called, "sender", "validateSenderByOtp"])
    assert found["totals"]["operations"] == {"met": 7, "of": 7, "percent": 100.0}


def test_the_points_of_what_is_counted_are_counted_and_no_others(played, coverage):
    found = coverage(played, "?of=getAccount")

    assert found["percent"] < 100
    assert {name for name, row in found["totals"].items() if row["of"]} == {"operations", "statuses"}
    assert list(found["operations"]) == ["getAccount"]
    assert all("getAccount" in sentence for sentence in found["missing"])


def test_the_transitions_of_a_machine_are_counted_where_the_list_names_it(played, coverage):
    with_machine = coverage(played, "?of=createSender,sender")

    assert coverage(played, "?of=createSender")["totals"]["transitions"]["of"] == 0
    assert with_machine["totals"]["transitions"]["met"] == len(with_machine["transitions"]["sender"])


def test_uncalled_operation_counts_in_a_list(played, coverage):
    assert coverage(played, "?of=getSenders,deleteDomain")["totals"]["operations"] == {
        "met": 1,
        "of": 2,
        "percent": 50.0,
    }


def test_workspace_without_counted_calls_has_zero_percent(make_api, coverage):
    api = make_api()
    api.get("/v3/companies")
    found = coverage(api, "?of=used")

    assert (found["counted"], found["percent"]) == ([], 0.0)
    assert {row["percent"] for row in found["totals"].values()} == {0.0}


def test_the_order_of_names_and_names_that_come_twice_change_nothing(played, coverage):
    assert coverage(played, "?of=getSenders getAccount,getSenders")["of"] == "getSenders,getAccount"


@pytest.mark.parametrize("form", ["text", "html", "junit"])
@pytest.mark.parametrize(
    ("of", "told"),
    [
        ("used", ", of the 7 operations and 1 state machine that were used"),
        ("getAccount", ", of the 1 operation and 0 state machines that were named"),
    ],
)
def test_every_form_says_what_was_counted(played, form, of, told):
    answer = played.get(f"/_mock/coverage?of={of}&format={form}")

    assert told in answer.text


@pytest.mark.parametrize(
    ("of", "told"),
    [
        ("createSendr", "there is no operation or state machine 'createSendr'; did you mean createSender?"),
        ("createSender,zzz", "'zzz', or it counts in no percentage"),
        ("oauthRevoke", "or it counts in no percentage"),
        ("", "names no operation"),
        (",", "names no operation"),
        ("x," * 6_000, "at most 10,000 characters"),
        (",".join(f"x{number}" for number in range(50)), "and 47 more"),
    ],
    ids=lambda value: value[:20],
)
def test_unknown_name_in_a_selection_is_refused(played, of, told):
    answer = played.get("/_mock/coverage", query_string={"of": of})

    assert answer.status_code == 400
    assert [error["path"] for error in answer.json["errors"]] == ["/of"]
    assert told in answer.json["errors"][0]["message"]


def test_machines_and_operations_have_names_of_their_own():
    assert {"sender", "domain"} <= countable() - operations()
    assert parse("sender").names == {"sender"}


@pytest.fixture
def with_contacts(make_api):
    api = make_api()
    api.get("/v3/contacts?limit=1")
    return api


def test_further_operations_are_reported_and_added_and_not_counted_by_default(with_contacts, coverage):
    found = coverage(with_contacts)

    assert (found["percent"], list(found["operations"])) == (0.0, [])
    assert found["further"]["getContacts"]["fields"] == {"limit": 1}


def test_all_counts_further_operations_too(with_contacts, coverage, contract_size):
    found = coverage(with_contacts, "?of=all")
    counted = contract_size.operations + len(FURTHER_OPERATIONS)

    assert found["totals"]["operations"] == {"met": 1, "of": counted, "percent": int(1_000 / counted) / 10}
    assert "getContacts" in found["counted"]
    assert added([found, found])["further"]["getContacts"]["calls"] == 2


def test_the_text_says_whether_further_operations_are_counted(with_contacts):
    texts = [with_contacts.get(f"/_mock/coverage?format=text{of}").text for of in ("", "&of=all")]

    assert ["further, not counted" in text for text in texts] == [True, False]
    assert ["further operation " in text for text in texts] == [False, True]
