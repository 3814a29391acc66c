"""Stubs that are wrong in any way are refused with a sentence, and those that are taken never break the mock."""

import copy
import random

import pytest
from beyond.stubs.hostile_expressions import template
from examples import rounds
from marshmallow import ValidationError
from tables import tables

from mockserver.beyond.stubs.schema import StubItem
from mockserver.core.state.stubs import Stubs

#: The tables of the tests by name.
CASES = tables(__file__)
#: Chosen: with templates, requests and paths and the fuzzer some 50,000 in all, in two minutes.
MANY, FEW = rounds(3_000), 500
#: What stands where something else is wanted.
ODD = [None, True, -1, 0, 2**63, -(2**63), 1.5, 1e308, "", "a", "{{", "{{ 1 / 0 }}", "{{ omit }}", "{{ request.json }}",
       "x" * 70_000, "\ud800", "\x00", "é", [], {}, [[[]]], {"$each": 1}, {"a": {"b": [None]}}, "/v3/contacts",
       "/v3/{a}/{b}", "GET", "{{ stored('t') }}", "Ada\r\nX: 1"]  # fmt: skip
BODIES = [None, {}, [], 1, "x", {"to": [{"email": "a@b.test"}]}, {"email": "a@b.test", "name": "A", "listIds": [1]}]


#: Stubs that have everything that stubs may have.
WHOLE = CASES["whole"]


def places(value, path=()):
    """The paths of all values within one."""
    yield path
    inner = list(value.items()) if isinstance(value, dict) else []
    for name, one in inner or enumerate(value if isinstance(value, list) else ()):
        yield from places(one, (*path, name))


def mutated(source):
    """A stub in which something is another thing, is gone, or has another name."""
    found = copy.deepcopy(source.choice(WHOLE))
    for _ in range(source.randint(1, 3)):
        # What stands deep within is replaced as often as what stands above it.
        path = source.choice([path for path in places(found) if path])
        *outer, name = path
        inner = found
        for part in outer:
            inner = inner[part]
        kind = source.random()
        if kind < 0.15:
            del inner[name]
        elif kind < 0.25 and isinstance(inner, dict):
            inner[f"{name}x"] = inner.pop(name)
        elif kind < 0.5:
            inner[name] = template(source)
        else:
            inner[name] = copy.deepcopy(source.choice(ODD))
    return found


pytestmark = pytest.mark.api("empty")


@pytest.mark.parametrize("count", [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)])
def test_whatever_a_stub_says_it_is_refused_or_answers(api, count):
    source = random.Random(count)
    taken = 0
    for _ in range(count):
        written = mutated(source)
        stub = taken_of(written)
        if stub is None:
            continue
        taken += 1
        stub.id = "one"
        api.workspace.state.stubs = Stubs([stub])
        path = stub.path.replace("{", "").replace("}", "")
        answer = api.request(stub.method, path, json=source.choice(BODIES))
        last = next(iter(api.workspace.journal))
        assert answer.status_code < 500 or is_told(last, stub), (written, last.reason)
        assert api.get("/_mock/state").status_code == 200
    assert taken > count / 20


def taken_of(written):
    """The stub, or None if it is refused with a sentence."""
    try:
        return StubItem().load(written)
    except ValidationError as error:
        return None if error.messages else pytest.fail("refused without a word")


def is_told(exchange, stub):
    """Whether an answer of 500 or more is what the stub says, or what is told of its failure."""
    told = exchange.reason is not None and exchange.reason.startswith(f"stub {stub.id} (")
    return told or str(exchange.status) in stub.written
