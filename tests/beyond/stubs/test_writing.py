"""How stubs are written in a scenario, which are refused, and that none answers for an operation of the mock."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from state_comparison import difference
from tables import tables

from mockserver.beyond.stubs.schema import shadowed
from mockserver.core.state.stubs import params_of
from mockserver.resources.registry import OPERATIONS
from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.scenario.documents.reading import parse
from mockserver.scenario.dump import dump
from mockserver.scenario.load import load

#: The parametrized cases by test.
CASES = tables(__file__)

#: A template of more than half as many parts as all templates of a stub may have together.
MANY_PARTS = "{{ [" + "1, " * 3_000 + "] }}"
FROZEN = {"start": "2026-01-15T09:00:00Z", "frozen": True}


def loaded(*stubs, **members):
    return load({"clock": FROZEN, "stubs": list(stubs), **members}, name="w")


def stub(**members):
    return {"method": "GET", "path": "/v3/contacts", "answer": {"json": {}}, **members}


def mistakes_of(text):
    with pytest.raises(ScenarioError) as refused:
        load(parse(text, "s.yaml"), name="w")
    return str(refused.value).splitlines()


def test_a_stub_is_written_out_as_it_was_written():
    whole = {
        "id": "notes",
        "method": "POST",
        "path": "/v3/contacts/{email}/notes",
        "match": {"query": {"a": ["1", "2"]}, "json": {"kind": None}, "headers": {"X-Kind": "call"}},
        "answers": [{"status": 201, "headers": {"X-A": "b"}, "json": None}, {"status": 404, "text": "none"}],
        "times": 7,
        "hits": 3,
        "position": 2,
    }
    assert dump(loaded(whole))["stubs"] == [whole]


def test_stubs_without_an_id_get_one_that_no_other_has():
    found = loaded(stub(), stub(id="stub-1"), stub(id="mine"), stub())
    assert [row["id"] for row in dump(found)["stubs"]] == ["stub-2", "stub-1", "mine", "stub-3"]


def test_what_was_written_out_gives_equal_stubs():
    first = loaded(stub(), stub(method="PUT", hits=3, times=4, position=1), stub(id="a", match={"json": [1]}))
    again = load(dump(first), name="w")
    assert difference(first.state.stubs, again.state.stubs) is None


def test_every_mistake_is_told_with_its_line():
    text = """
stubs:
  - {method: DELETE, path: "/v3/senders/{any}", answer: {}}
  - {method: HEAD, path: v3/contacts, answers: []}
  - {method: POST, path: "/v3/{a}/{a}", mach: 1, answer: {headers: {content-length: "3"}}}
  - {method: POST, path: /v3/contacts, answer: {status: 204, text: a}}
  - {method: POST, path: /v3/contacts, answer: {json: 1, text: a}}
  - {method: POST, path: /v3/contacts}
"""
    told = [
        "s.yaml:3: stubs[0].path: conflicts with deleteSender (DELETE /v3/senders/{senderId}), which",
        "s.yaml:4: stubs[1].method: unknown value: got 'HEAD', expected one of: GET,",
        "s.yaml:4: stubs[1].path: invalid value: got 'v3/contacts', expected a path that begins with /v3/",
        "s.yaml:4: stubs[1].answers: wrong length: got a list of 0 items, expected 1",
        "s.yaml:5: stubs[2].path: duplicate parameter {a}",
        "s.yaml:5: stubs[2].answer.headers.content-length: invalid key: set by the mock itself: got 'content-length'",
        "s.yaml:5: stubs[2].mach: unknown key; did you mean match?",
        "s.yaml:6: stubs[3].answer.text: an answer of status 204 has no body",
        "s.yaml:7: stubs[4].answer.text: give json or text",
        "s.yaml:8: stubs[5].answer: give answer or answers",
    ]
    found = mistakes_of(text)
    assert len(found) == len(told)
    for line, wanted in zip(found, told, strict=True):
        assert line.startswith(wanted)


@pytest.mark.parametrize(
    "path",
    ["/v3/", "/v3//a", "/v3/a/", "/v3/a?b", "/v3/a#b", "/v3/%41", "/v3/{}", "/v3/{a}.json", "/v3/a{b}", "/v3/{a b}",
     "/v3/a\n", "/v2/a", "/_mock/stubs", "/w/other/v3/a", "/v3/" + "a" * 500],
)  # fmt: skip
def test_what_is_no_path_of_the_service_is_refused(path):
    with pytest.raises(ScenarioError, match="path"):
        loaded(stub(path=path))


def test_two_stubs_of_one_id_are_refused():
    with pytest.raises(ScenarioError, match=r"stubs\[1\].id: duplicate stub id 'a'"):
        loaded(stub(id="a"), stub(id="a"))


def test_a_stub_of_more_than_64_kilobytes_is_refused():
    with pytest.raises(ScenarioError, match="too many bytes of JSON in a stub: got 80,059, expected at most 65,536"):
        loaded(stub(answer={"text": "é" * 40_000}))


def segment_of_a_pattern():
    return st.sampled_from(["{one}", "{two}", "senders", "contacts", "domains", "7"])


@given(st.sampled_from(sorted(OPERATIONS)), st.data())
def test_a_pattern_is_refused_if_and_only_if_an_address_of_the_operation_fits_it(name, data):
    operation = OPERATIONS[name]
    given_segments = [
        data.draw(st.one_of(st.just(segment), segment_of_a_pattern())) for segment in operation.path.split("/")
    ]
    # What fits both: the fixed segments of either, and anything where both have a parameter.
    address = [
        other if one.startswith("{") else one
        for one, other in zip(given_segments, operation.path.split("/"), strict=True)
    ]
    fits = all(
        params_of([wanted], [segment.strip("{}")]) is not None
        for pattern in (given_segments, operation.path.split("/"))
        for wanted, segment in zip(pattern, address, strict=True)
    )
    found = shadowed(operation.method, "/".join(given_segments))
    assert found is not None or not fits
    assert not fits or found.method == operation.method


def test_a_mistake_is_told_beside_those_inside_of_it():
    text = """
stubs:
  - {method: POST, path: /v3/contacts, answer: {}, effects: [{mial: {subject: "{{ unknown }}"}}]}
"""
    told = [
        "s.yaml:3: stubs[0].effects[0].mial.subject: ",
        "s.yaml:3: stubs[0].effects[0]: an effect has one of the members mail, event, credits; did you mean mail?",
    ]
    found = mistakes_of(text)
    assert [mistake[: len(wanted)] for mistake, wanted in zip(found, told, strict=True)] == told


def test_stub_loaded_twice_counts_hits_separately():
    written = stub(id="a", times=2)
    one, other = (loaded(written).state.stubs.get("a") for _ in range(2))
    one.hits = 1
    assert other.hits == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        *CASES["a_mistake_within_a_stub_is_told"],
        ("answer: {json: " + "[" * 90 + "1" + "]" * 90 + "}", "nested too deeply"),
        (f"answer: {{text: '{MANY_PARTS}', headers: {{X-A: '{MANY_PARTS}'}}}}", "may have 5,000 parts together"),
    ],
)
def test_a_mistake_within_a_stub_is_told_at_its_place(text, told):
    found = mistakes_of(f"seed: 1\nstubs:\n  - {{method: GET, path: /v3/a, {text}}}\n")
    assert any(line.startswith("s.yaml:3: ") and told in line for line in found), found


def test_all_mistakes_of_all_expressions_are_told_together():
    written = "{method: GET, path: /v3/a, answer: {text: '{{', headers: {A: '{{ b }}', B: '{{ d | e }}'}}}"
    found = mistakes_of(f"stubs:\n  - {written}\n")
    assert [line.split(": ")[1] for line in found] == [
        "stubs[0].answer.text", "stubs[0].answer.headers.A", "stubs[0].answer.headers.B"
    ]  # fmt: skip


@pytest.mark.parametrize(("text", "told"), CASES["what_is_gone_is_told_once"])
def test_what_is_gone_is_told_once_with_what_to_use_instead(text, told):
    (line,) = mistakes_of(f"stubs:\n  - method: GET\n    path: /v3/a\n    answer: {{}}\n    {text}\n")

    assert line.startswith(f"s.yaml:5: stubs[0].{told}")


def test_what_is_gone_is_refused_by_the_control_api(api):
    answer = api.post("/_mock/stubs", json=stub(forget={"table": "a", "key": "a"}))

    assert answer.status_code == 400
    assert answer.json["detail"] == "forget: `forget` is gone: use store with `delete: true`"
