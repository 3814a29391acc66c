"""Bodies of any kind get an answer of the service, and never an error of the mock's own."""

import json

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=8) | st.floats(allow_nan=False)
)
VALUES = st.recursive(
    SCALARS | st.sampled_from(["a@b.test", "2026-01-15T10:00:00Z", "SGVsbG8=", "https://a.test/b", "{{ params.a }}"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["email", "name", "id", "url", "content", "to", "subject", "X-Sib-Sandbox"]), inner
        )
    ),
    max_leaves=6,
)
PARTY = st.fixed_dictionaries(
    {"email": st.sampled_from(["a@b.test", "news@acme.test"]) | VALUES}, optional={"name": VALUES}
)
PARTIES = st.lists(PARTY, max_size=3) | VALUES
MEMBERS = {
    "sender": PARTY | st.fixed_dictionaries({"id": st.sampled_from([1, 2, 3]) | VALUES}) | VALUES,
    "to": PARTIES,
    "subject": st.just("Hi") | VALUES,
    "htmlContent": st.just("{{params.a}}{{params.b.c}}") | VALUES,
    "cc": PARTIES,
    "bcc": PARTIES,
    "replyTo": PARTY | VALUES,
    "textContent": VALUES,
    "templateId": st.just(7) | VALUES,
    "params": st.dictionaries(st.sampled_from(["a", "b"]), VALUES) | VALUES,
    "attachment": st.lists(st.dictionaries(st.sampled_from(["name", "url", "content"]), VALUES), max_size=2) | VALUES,
    "headers": st.dictionaries(st.text(max_size=5) | st.just("X-A"), VALUES, max_size=2) | VALUES,
    "tags": st.lists(VALUES, max_size=2) | VALUES,
    "scheduledAt": st.just("2026-01-15T10:00:00Z") | VALUES,
    "batchId": st.just("5c6cfa04-eed9-42c2-8b5c-6d470d978e9d") | VALUES,
}
VERSION = st.fixed_dictionaries({}, optional={"to": PARTIES, "cc": PARTIES, "params": VALUES, "subject": VALUES})
BODIES = st.fixed_dictionaries(
    {name: MEMBERS.pop(name) for name in ("sender", "to", "subject", "htmlContent")},
    optional={**MEMBERS, "messageVersions": st.lists(VERSION | VALUES, max_size=3) | VALUES},
)


@pytest.fixture
def here(sending):
    """A workspace whose credits never run out."""
    return sending(account={"plan": [{"type": "free", "credits": -1}]})


@given(BODIES)
@examples(300)
def test_any_body_is_taken_or_refused_in_words_of_the_service(here, body):
    here.api.delete("/_mock/mailbox")

    answer = here.post(body)

    assert answer.status_code in (201, 202, 400), (answer.text, here.reason())
    if answer.status_code >= 400:
        assert set(answer.json) == {"code", "message"}
        assert here.mails() == []


LARGE = {
    "a file": {"attachment": [{"name": "a.zip", "content": "QUFB" * (2 * 1024 * 1024)}]},
    "a content": {"htmlContent": "<p>" + "x " * 2_000_000},
    "a parameter": {"params": {"a": ["x"] * 25_000}},
    "levels": {"params": {"a": json.loads("[" * 50 + "]" * 50)}},
    "a header": {"headers": {"X-A": "x" * 8192}},
    "tags": {"tags": ["t" * 1000] * 1000},
    "a subject": {"subject": "s" * 500_000},
    "names": {"to": [{"email": "a@b.test", "name": "n" * 70}] * 99},
}


@pytest.mark.parametrize("members", LARGE.values(), ids=LARGE)
def test_a_large_member_is_taken(members, sending):
    answer = sending().send(**members)

    assert answer.status_code == 201, answer.text


VERSIONS = [{"to": [{"email": f"user{number}@example.test"}]} for number in range(2_000)]
TOO_MUCH = {
    "levels": ({"params": {"a": json.loads("[" * 85 + "]" * 85)}}, 400),
    "recipients": ({"to": [{"email": "a@b.test"}] * 200_000}, 400),
    "versions": ({"messageVersions": [{}] * 300_000}, 400),
    "headers": ({"headers": {f"X-{number}": "a" for number in range(100_000)}}, 400),
    "tags": ({"tags": ["a"] * 1_000_000}, 400),
    "a content that grows": ({"htmlContent": "{{params.a}}" * 100_000, "params": {"a": "x" * 1_000}}, 413),
    "a content of many": ({"htmlContent": "x" * 200_000, "messageVersions": VERSIONS}, 413),
}


@pytest.mark.slow
@pytest.mark.parametrize(("members", "status"), TOO_MUCH.values(), ids=TOO_MUCH)
def test_what_is_too_much_is_refused_soon(members, status, here):
    answer = here.send(**members)

    assert (answer.status_code, set(answer.json)) == (status, {"code", "message"}), here.reason()
    assert here.mails() == []
