"""What a document gives as an example is answered as it is, though texts of a stub may be templates."""

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from mockserver.beyond.openapi import literal

signs = st.text(alphabet="{}%#\"'\\ \n\t-a\u00e4\U0001f600\u2028", max_size=12)
values = st.recursive(
    signs | st.integers(-9, 9) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture
def answered(api):
    """What the stub of a value answers."""

    def answer(value):
        stub = {"method": "GET", "path": "/v3/example", "answer": {"json": literal({"value": value})}}
        written = api.put("/_mock/stubs", json={"items": [stub]})
        assert written.status_code == 200, written.text
        return api.get("/v3/example").json["value"]

    return answer


@pytest.mark.parametrize(
    "value",
    ["{{ name }}", "{% if %}", "{# no #}", '{{ "a" }}', "\\{{", "{{ '\\' }}", "a {{\n}}", "{{", ["{{ 1 }}"], "{}"],
)
def test_what_looks_like_a_template_means_itself(answered, value):
    assert answered(value) == value


@examples(200)
@given(values)
def test_literal_value_is_answered_unchanged(answered, value):
    assert answered(value) == value
