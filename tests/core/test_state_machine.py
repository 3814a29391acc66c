import pytest

from mockserver.core.time.state_machine import ABSENT, StateMachine, TransitionRefused


@pytest.fixture
def endpoint():
    return StateMachine(
        "endpoint",
        ("build", ABSENT, "closed"),
        ("open", "closed", "open"),
        ("shut", "open", "closed"),
        ("burn", "open", ABSENT),
        timed=frozenset({"shut"}),
    )


def test_an_event_leads_to_its_target(endpoint):
    assert endpoint.target("closed", "open") == "open"


def test_a_refusal_names_state_event_and_what_would_have_been_allowed(endpoint):
    with pytest.raises(TransitionRefused) as refused:
        endpoint.target("open", "open")

    assert (refused.value.state, refused.value.event, refused.value.allowed) == ("open", "open", ("shut", "burn"))


def test_the_first_event_is_the_one_that_comes_from_outside(endpoint):
    assert endpoint.first == "build"


def test_states_are_listed_without_what_lies_outside(endpoint):
    assert endpoint.states == ("closed", "open")


def test_absent_instance_allows_no_events(endpoint):
    assert endpoint.allowed(ABSENT) == ()


def test_the_diagram_is_drawn_from_the_rows(endpoint):
    assert endpoint.mermaid().splitlines() == [
        "stateDiagram-v2",
        "    [*] --> closed: build",
        "    closed --> open: open",
        "    open --> closed: shut (timer)",
        "    open --> [*]: burn",
    ]


def test_events_between_the_same_two_states_share_an_arrow():
    endpoint = StateMachine("endpoint", ("push", "shut", "open"), ("pull", "shut", "open"), timed=frozenset({"pull"}))

    assert endpoint.mermaid().splitlines() == ["stateDiagram-v2", "    shut --> open: push, pull (timer)"]
