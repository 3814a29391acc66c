"""The shape of an answer is compared with a schema and with the answer of the mock."""

from __future__ import annotations

import pytest

from mockserver.evidence.shape import Shapes, unseen
from mockserver.testing.drift import Answer

COMPONENTS = {"Plan": {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]}}
PLAN = {"$ref": "#/components/schemas/Plan"}
NULLABLE = {"anyOf": [PLAN, {"type": "null"}]}
LIST = {"type": "array", "items": PLAN}
#: By what is compared: the schema, the answers of the service and of the mock, and the differences.
CASES = {
    "an integer is a number": (PLAN, {"price": 1}, {"price": 1.5}, []),
    "a number is no integer": ({"type": "integer"}, 1.5, 1, ["body: number instead of integer"]),
    "a boolean is no integer": ({"type": "integer"}, True, 1, ["body: boolean instead of integer"]),
    "a required member is missing": (PLAN, {}, {"price": 1}, ["price: missing"]),
    "a required member that the mock lacks may be missing": (PLAN, {}, {}, []),
    "null is an alternative": (NULLABLE, None, {"price": 1}, []),
    "null is no alternative": (PLAN, None, {"price": 1}, ["body: null instead of object"]),
    "rows are merged": (LIST, [{}, {}, {"price": "1"}], [{"price": 1}],
        ["[].price: missing", "[].price: string instead of integer or number"]),
    "a type that the document leaves open is that of the mock": ({}, 1, "2026", ["body: integer instead of string"]),
    "an undocumented answer has the shape of the mock's": (None, {"code": 1, "new": 1}, {"code": "x", "message": "x"},
        ["message: missing", "code: integer instead of string", "new: new, integer"]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_shape_is_compared(case):
    schema, answer, twin, differences = CASES[case]
    assert Shapes(COMPONENTS, answer).differences(schema, twin) == differences


def test_empty_lists_are_named_where_the_mock_has_rows():
    answer = {"plans": [], "rows": [{"ips": []}], "none": []}
    assert list(unseen(answer, {"plans": [1], "rows": [{"ips": [1]}], "none": []})) == ["plans[]", "rows[].ips[]"]


def test_answer_of_thousands_of_levels_is_not_comparable(make_api, ask_of, drift):
    ask, deep = ask_of(make_api("standard")), []
    for _ in range(5_000):
        deep = [deep]

    def nested(path):
        body = {"attributes": deep}
        return Answer(200, "application/json", "", body, is_json=True) if path.endswith("attributes") else ask(path)

    verdict = drift(nested)["GET /v3/contacts/attributes"]

    assert (verdict.verdict, verdict.notes) == ("not comparable", ["the answer is nested too deeply"])
