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


def test_a_machine_has_a_first_event_and_states_and_events_that_lead_to_their_targets(endpoint):
    assert (endpoint.first, endpoint.states) == ("build", ("closed", "open"))
    assert (endpoint.target("closed", "open"), endpoint.allowed(ABSENT)) == ("open", ())


def test_a_refusal_names_state_event_and_what_would_have_been_allowed(endpoint):
    with pytest.raises(TransitionRefused) as refused:
        endpoint.target("open", "open")

    assert (refused.value.state, refused.value.event, refused.value.allowed) == ("open", "open", ("shut", "burn"))


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
