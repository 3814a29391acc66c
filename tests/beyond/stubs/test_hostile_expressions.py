"""No expression reaches anything but plain values, and each ends soon, whatever it says."""

from __future__ import annotations

import random
from time import thread_time

import pytest
from audit import audited
from beyond.stubs.hostile_expressions import ESCAPES, GREEDY, template
from examples import rounds

from mockserver.beyond.stubs.budget import OMIT, Budget, ExpressionError
from mockserver.beyond.stubs.grammar import SyntaxMistake, has_expressions
from mockserver.beyond.stubs.names import FUNCTIONS, Provider
from mockserver.beyond.stubs.program import Expression, Scope
from mockserver.beyond.stubs.sandbox import Members
from mockserver.core.text.addresses import comparable
from mockserver.core.text.messages import meant
from mockserver.core.workspaces.caller import Caller
from mockserver.scenario.load import load
from mockserver.web.schemas import json_text

#: What an expression must never cause, by the names of Python's audit events.
FORBIDDEN = ("open", "os.", "socket.", "subprocess.", "exec", "import", "ctypes.")
#: The name of the code that Jinja makes of an expression: to define it, and nothing else, is executed.
COMPILED = "<template>"
#: The longest that a template may take, in seconds of this thread. Chosen: forty times what the greediest takes on an
#: idle machine.
LONGEST_S = 2
#: A body whose members are what templates ask for.
BODY = {"a": [1, "b", {"a": None}], "email": "a@b.test", "items": {"0": 1.5}, "name": "x" * 200}
#: Chosen: with stubs, requests and paths and the fuzzer some 50,000 in all, in two minutes.
MANY = rounds(28_000)

pytestmark = pytest.mark.slow  # `audited` is not for coverage


def is_forbidden(event, arguments):
    return event.startswith(FORBIDDEN) and not (event == "exec" and arguments[0].co_filename == COMPILED)


@pytest.fixture(scope="module")
def caller():
    workspace = load({"accounts": [{"name": "acme"}], "seed": 7}, name="w")
    found = Caller(workspace, workspace.state.first_account)
    # These import what they need when they are first called.
    Provider(found, Budget()).faker("name")
    Expression("{{ ([1] | sum) is defined and 'text' }}", (), ()).value(Scope({}, Budget()))
    meant("a", ["b"])
    comparable("a@bücher.test")
    return found


@pytest.fixture
def given(caller):
    """What a template gives, or the words of what is wrong with it."""

    members = {"json": lambda: BODY, "query": dict, "headers": dict, "path": dict}
    account = {"senders": list, "name": lambda: "acme"}

    def evaluated(text):
        budget = Budget()
        provider = Provider(caller, budget)
        names = {
            "request": Members(members), "account": Members(account), "behaviour": Members({"dns": lambda: "view"}),
            "now": "2026-01-15T09:00:00.000Z", "item": BODY, "omit": OMIT, "faker": provider.faker,
            **{name: getattr(provider, name) for name in FUNCTIONS},
        }  # fmt: skip
        if not has_expressions(text):
            return text
        with audited(is_forbidden) as caused:
            try:
                value = Expression(text, {"item"}, ()).value(Scope(names, budget))
            except (SyntaxMistake, ExpressionError) as error:
                value = str(error)
        assert caused == []
        return value

    return evaluated


def is_plain(value):
    """Whether a value is one of JSON, or stands for none."""
    if value is OMIT:
        return True
    json_text.write(value)
    return True


def test_no_known_way_leads_out(given):
    for text in ESCAPES:
        found = str(given(text))
        assert not [sign for sign in ("<", "root:", "uid=") if sign in found], text


@pytest.mark.parametrize("text", GREEDY, ids=range(len(GREEDY)))
def test_what_is_greedy_ends_soon(given, text):
    started = thread_time()
    assert is_plain(given(text))
    assert thread_time() - started < LONGEST_S


def test_whatever_is_written_gives_a_plain_value_or_a_sentence(given):
    source = random.Random(MANY)
    for _ in range(MANY):
        text = template(source)
        started = thread_time()
        assert is_plain(given(text)), text
        assert thread_time() - started < LONGEST_S, text
