"""A field of a scenario that is given a wrong kind of value is a mistake with its line, never a traceback."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date
from typing import Any

import pytest
from examples import rounds
from marshmallow import fields

from mockserver.core.state.behaviour import Behaviour
from mockserver.core.time.clock import EARLIEST
from mockserver.resources.section import Instant, counting_from
from mockserver.scenario.documents.library import Library
from mockserver.scenario.documents.mistakes import Mistake, ScenarioError
from mockserver.scenario.documents.reading import parse
from mockserver.scenario.load import load
from mockserver.scenario.schema import scenario_schema
from mockserver.web.schemas.fields import Dict, Json, List, OneOrMany

#: As they are written in YAML.
WRONG = {
    "null": "null", "a truth value": "true", "a negative number": "-7",
    "an immense number": "123456789012345678901", "a fraction": "1.5", "no number": ".nan", "an empty text": "''",
    "a text": "nonsense", "a long text": "x" * 100_000, "a day": "2026-01-01",
    "a day that there is not": "2026-13-13", "a moment": "2026-01-01T00:00:00Z", "bytes": "!!binary aGk=",
    "an empty list": "[]", "a list of lists": "[[[]]]", "an empty mapping": "{}",
    "a mapping": "{nonsense: {nonsense: 1}}", "a list of mappings": "[{nonsense: 1}]",
    "a relative moment out of all years": "-P30000D",
}  # fmt: skip


def places(field: Any, path: str = "{}") -> Iterator[tuple[str, Any]]:
    """Every field below this one, as a template of a document that holds a value there."""
    yield path, field
    if isinstance(field, fields.Nested):
        for name, inner in field.schema.load_fields.items():
            yield from places(inner, path.replace("{}", "{{" + f"{inner.data_key or name}: {{}}" + "}}"))
    elif isinstance(field, fields.List):
        yield from places(field.inner, path.replace("{}", "[{}]"))
    elif isinstance(field, fields.Dict):
        yield from places(field.value_field, path.replace("{}", "{{acme.test: {}}}"))


def template(path: str) -> str:
    return path.replace("{{", "{").replace("}}", "}")


def written(path: str, value: str) -> str:
    before, _, after = path.partition("{}")
    return f"{template(before)}\n{value}\n{template(after)}"


def mistakes(text: str) -> Sequence[Mistake]:
    try:
        load(parse(text, "mine.yaml"), name="test")
    except ScenarioError as error:
        return error.mistakes
    return ()


def all_places() -> dict[str, Any]:
    return dict(list(places(fields.Nested(scenario_schema())))[1:])


PLACES = all_places()
#: Each value is tried in one of so many places, the next value in the next ones.
EACH = len(PLACES) // rounds(len(PLACES))


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(WRONG)), ids=WRONG)
def test_a_wrong_value_of_any_field_is_a_mistake_with_its_line_or_fits(number):
    for path in list(PLACES)[number % EACH :: EACH]:
        told = mistakes(written(path, list(WRONG.values())[number]))
        assert all(mistake.mark is not None and mistake.path for mistake in told), path
        assert len("".join(map(str, told))) < 5_000, path


#: Members that are looked at together with others, each with a valid value.
BESIDE = {
    "vary": "1", "extends": "standard", "clock": "{start: '2026-01-01T00:00:00Z'}", "resume": "{ids: {sender: 3}}",
    "expect": "[{path: 'state.senders[name=A]', absent: true, hold: true}]", "faults": "[{fault: otp_expired}]",
    "accounts": "[{name: acme}]", "generate": "{senders: 2}",
}  # fmt: skip


@pytest.mark.parametrize("value", ["true", "1", "x", "[]", "{}", "null"])
def test_behaviour_of_any_type_beside_vary_is_a_mistake_or_fits(value):
    told = mistakes(f"behaviour: {value}\nvary: 1")

    assert [mistake.path for mistake in told] == (
        {"{}": [], "x": [("behaviour", "preset")]}.get(value, [("behaviour",)])
    )


@pytest.mark.slow
@pytest.mark.parametrize("value", ["true", "x", "[]", "null"])
def test_section_of_any_type_beside_other_sections_is_a_mistake_or_fits(value):
    library = Library()
    for name in scenario_schema().fields:
        others = [f"{beside}: {text}" for beside, text in BESIDE.items() if beside != name]
        with suppress(ScenarioError):
            load(library.extended(parse("\n".join([f"{name}: {value}", *others]), "mine.yaml")), name="test")


def test_a_field_takes_its_own_kind_only():
    for kind, fits in [
        (fields.String, {"an empty text", "a text", "a long text", "a relative moment out of all years", "null"}),
        (fields.Integer, {"a negative number", "null"}),
        (fields.Boolean, {"a truth value", "null"}),
        (Instant, {"a moment", "null"}),
        (List, {"an empty list", "a list of lists", "a list of mappings", "null"}),
        (Dict, {"an empty mapping", "a mapping", "null"}),
    ]:
        wrong = [parse(f"a: {text}", "mine.yaml")["a"] for name, text in WRONG.items() if name not in fits]
        for field in PLACES.values():
            if isinstance(field, kind) and not isinstance(field, (fields.IP, OneOrMany)):
                for value in wrong:
                    with pytest.raises(fields.ValidationError), counting_from(lambda: EARLIEST):
                        field.deserialize(value)


def test_a_key_that_is_unknown_is_told_wherever_it_stands():
    for path, field in PLACES.items():
        if isinstance(field, fields.Nested):
            text = written(path, "{qqqqqq: 1}")
            told = "".join(map(str, mistakes(text)))
            assert "qqqqqq: unknown key; known:" in told, path


@pytest.mark.parametrize("name", Behaviour._fields)
def test_a_slip_below_any_behaviour_is_a_mistake(name):
    with pytest.raises(ScenarioError, match=rf"mine.yaml:2: behaviour.{name}"):
        load(parse(f"behaviour:\n  {name}: {{afer: PT1H}}", "mine.yaml"), name="test")


def test_every_list_and_mapping_of_the_schema_ends_after_many_mistakes():
    for path, field in PLACES.items():
        assert not isinstance(field, fields.List) or isinstance(field, List), path
        assert not isinstance(field, fields.Dict) or isinstance(field, Dict), path


def test_a_field_of_any_value_takes_those_of_json_only():
    """A new kind of field joins one of these, or refuses what is not JSON by itself, which is tried above."""
    own = (
        fields.Nested, fields.List, fields.Dict, fields.String, fields.Number, fields.Boolean, fields.Enum,
        fields.IP,
    )  # fmt: skip
    loose = {path: field for path, field in PLACES.items() if type(field) in (fields.Raw, fields.Field)}

    assert loose == {}
    free = [field for field in PLACES.values() if not isinstance(field, own)]
    assert any(isinstance(field, Json) for field in free)
    for field in free:
        with pytest.raises(fields.ValidationError):
            field.deserialize({"a": date(2026, 1, 1)})
