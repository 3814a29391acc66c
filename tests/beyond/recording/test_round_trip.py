"""A stub that was recorded says again what the peer has said, whatever that was."""

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from mockserver.beyond.recording import recorded

PIECES = [
    "{", "}", "{{", "}}", "{%", "%}", "{#", "#}", "'", '"', "\\", "a", " ", "\n", "\r\n", "\r", "omit", "{{ now }}",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
#: No name of a member has a template in a stub.
NAMES = st.text("ab'\"\\ }", max_size=4)
JSON = st.recursive(
    TEXTS | st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=10,
)


@pytest.fixture(scope="module")
def answered(make_api):
    """Makes a stub of an answer, and gives what it answers."""
    api = make_api("empty")

    def answer(body, kind):
        headers = {"Content-Type": kind, "X-Said": "{{ a }}"}
        entry = {
            "method": "GET", "path": "/v3/contacts", "query": {}, "operation": "getContacts", "status": 200,
            "fault": None, "beyond": "forwarded", "warnings": [], "answer": {"headers": headers, "body": body},
        }  # fmt: skip
        found = recorded([entry])
        assert found.left_out == []
        assert api.put("/_mock/stubs", json={"items": found.stubs}).status_code == 200
        told = api.get("/v3/contacts")
        assert told.headers["X-Said"] == "{{ a }}"
        return told

    return answer


@given(JSON)
@examples(200)
def test_recorded_json_value_is_answered_again(answered, value):
    assert answered(value, "application/json").json == value


@given(TEXTS.filter(bool))
@examples(200)
def test_recorded_text_body_is_answered_again(answered, text):
    assert answered(text, "text/plain").get_data(as_text=True) == text
