import pytest

from mockserver.core.time.state_machine import OUTSIDE, Refused, StateMachine


@pytest.fixture
def door():
    return StateMachine(
        "door",
        ("build", OUTSIDE, "closed"),
        ("open", "closed", "open"),
        ("shut", "open", "closed"),
        ("burn", "open", OUTSIDE),
        timed=frozenset({"shut"}),
    )


def test_an_event_leads_to_its_target(door):
    assert door.target("closed", "open") == "open"


def test_a_refusal_names_state_event_and_what_would_have_been_allowed(door):
    with pytest.raises(Refused) as refused:
        door.target("open", "open")

    assert (refused.value.state, refused.value.event, refused.value.allowed) == ("open", "open", ("shut", "burn"))


def test_the_first_event_is_the_one_that_comes_from_outside(door):
    assert door.first == "build"


def test_states_are_listed_without_what_lies_outside(door):
    assert door.states == ("closed", "open")


def test_nothing_happens_to_what_is_gone(door):
    assert door.allowed(OUTSIDE) == ()


def test_the_diagram_is_drawn_from_the_rows(door):
    assert door.mermaid().splitlines() == [
        "stateDiagram-v2",
        "    [*] --> closed: build",
        "    closed --> open: open",
        "    open --> closed: shut (timer)",
        "    open --> [*]: burn",
    ]


def test_events_between_the_same_two_states_share_an_arrow():
    door = StateMachine("door", ("push", "shut", "open"), ("pull", "shut", "open"), timed=frozenset({"pull"}))

    assert door.mermaid().splitlines() == ["stateDiagram-v2", "    shut --> open: push, pull (timer)"]
