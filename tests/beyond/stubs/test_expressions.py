"""What expressions give: types, what is left out, what they see, and what makes them fail."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tables import tables

from mockserver.beyond.stubs.budget import Budget, ExpressionError
from mockserver.beyond.stubs.grammar import SyntaxMistake, read
from mockserver.beyond.stubs.names import FAKER, Provider
from mockserver.beyond.stubs.program import Expression, Scope
from mockserver.core.workspaces.caller import Caller
from mockserver.scenario.load import load
from mockserver.web.schemas import json_text

#: The parametrized cases by test.
CASES = tables(__file__)

BODY = {"n": 3, "t": "Ab c", "l": [3, 1, 2], "m": {"a": 1, "b": [None]}, "f": False, "z": None,
        "people": [{"email": "a@a.test", "age": 7}, {"email": "b@b.test", "age": 5}, {"age": 6}]}  # fmt: skip


def test_expressions_give_the_expected_values(answer_of):
    request = {"json": BODY, "query_string": "a=1&b=2&b=3", "headers": {"X-Kind": "call"}}
    for template, value in CASES["an_expression_gives"]:
        found = answer_of(template, method="POST", **request)
        assert (found, type(found)) == (value, type(value)), template


def test_expressions_fail_with_their_reasons(failure_of):
    for template, reason in (
        *CASES["an_expression_fails"],
        (
            "{{ range(1000) | join | replace('', '" + "b" * 900 + "') }}",
            "a text has 2,604,790 characters, the limit is 1,000,000",
        ),
    ):
        assert reason in failure_of(template), template


def test_a_text_that_is_no_expression_is_refused_with_a_reason():
    for template, told in (
        *CASES["a_text_that_is_no_expression"],
        ("{{ " + "[" * 50 + "]" * 50 + " }}", "is nested too deeply: the limit is 40 levels"),
        ("{{ '" + "a" * 10_000 + "' }}", "a text with expressions may have 10,000 characters"),
    ):
        with pytest.raises(SyntaxMistake) as refused:
            read(template)
        assert told in str(refused.value), template


def test_faker_and_draws_follow_the_seed(stubbed):
    value = ["{{ faker.name() }}", "{{ uuid() }}", "{{ random(1, 1000000) }}", "{{ message_id() }}"]
    one, other = (stubbed({"answer": {"json": value}}) for _ in range(2))
    first = [one.get("/v3/contacts").json for _ in range(2)]
    assert first == [other.get("/v3/contacts").json for _ in range(2)]
    assert first[0] != first[1]


def test_made_up_data_are_plain_and_follow_the_seed():
    workspaces = [load({"accounts": [{"name": "a"}], "seed": 7}, name="w") for _ in range(2)]
    providers = [Provider(Caller(one, one.state.first_account), Budget()) for one in workspaces]
    for what in sorted(FAKER):
        one, other = ([provider.faker(what) for _ in range(2)] for provider in providers)
        assert one == other
        assert json_text.read(json_text.write(one)) == one, what


#: Not those of which docs/reference/stubs.md says that they differ: the operators `~`, `*` and `%` for texts.


def infix(inner, *signs):
    return st.tuples(inner, st.sampled_from(signs), inner).map(lambda parts: f"({' '.join(parts)})")


def filtered(inner, *names):
    return st.tuples(inner, st.sampled_from(names)).map(lambda parts: f"({' | '.join(parts)})")


NUMBERS = st.recursive(
    st.sampled_from(["0", "1", "-7", "2.5", "body.n", "body.l[0]", "body['m'].a", "(body.nobody | default(4))"]),
    lambda inner: st.one_of(
        infix(inner, "+", "-", "*", "/", "//", "%"), filtered(inner, "abs", "int", "round", "round(1)", "float"),
    ),
    max_leaves=4,
)  # fmt: skip
TEXTS = st.recursive(
    st.sampled_from(["'ab'", "' B c'", "'AB'", "''", "body.t", "body.t[1:]", "body.t[::-1]"]),
    lambda inner: st.one_of(
        infix(inner, "+"), filtered(inner, "lower", "upper", "trim", "title", "replace('a', 'bb')", "reverse"),
    ),
    max_leaves=4,
)  # fmt: skip
LISTS = st.recursive(
    st.one_of(st.just("body.l"), st.lists(TEXTS, max_size=3).map(lambda parts: f"[{', '.join(parts)}]"),
              st.lists(NUMBERS, max_size=3).map(lambda parts: f"[{', '.join(parts)}]")),
    lambda inner: st.one_of(
        infix(inner, "+"),
        filtered(inner, "sort", "reverse | list", "list", "unique | list", "map('abs') | list", "select('odd') | list",
                 "reject('gt', 2) | list"),
    ),
    max_leaves=3,
)  # fmt: skip
TRUTHS = st.recursive(
    st.one_of(
        infix(NUMBERS, "<", ">", "<=", ">="), infix(TEXTS, "<", ">=", "in", "not in"),
        st.tuples(NUMBERS, LISTS).map(lambda parts: f"({parts[0]} in {parts[1]})"),
        st.sampled_from(["(body.nobody is defined)", "(body.l is sequence)", "(body.z is none)"]),
    ),
    lambda inner: st.one_of(infix(inner, "and", "or"), inner.map("(not {})".format)),
    max_leaves=3,
)  # fmt: skip
VALUES = st.one_of(NUMBERS, TEXTS, LISTS, TRUTHS, filtered(LISTS, "length", "first", "last", "sum", "max", "min"))
EXPRESSIONS = st.one_of(
    VALUES, st.tuples(VALUES, TRUTHS, VALUES).map(lambda parts: "({} if {} else {})".format(*parts))
)


def plain(value):
    """A value of Jinja's as one of JSON: what it makes when it is asked for item by item is a list."""
    if isinstance(value, (list, tuple)) or hasattr(value, "__next__"):
        return [plain(one) for one in value]
    return value


@examples(400)
@given(EXPRESSIONS)
def test_an_expression_gives_what_jinja_makes_of_it_if_it_gives_anything(expression):
    try:
        ours = Expression(f"{{{{ {expression} }}}}", {"body"}, ()).value(Scope({"body": BODY}, Budget()))
    except (SyntaxMistake, ExpressionError):
        assume(False)
    environment = ImmutableSandboxedEnvironment()
    assert ours == plain(environment.compile_expression(expression, undefined_to_none=False)(body=BODY))


def test_threads_that_evaluate_an_expression_for_the_first_time_get_its_value():
    with ThreadPoolExecutor(8) as threads:
        for number in range(20):
            expression = Expression(f"{{{{ body.n + {number} }}}}", {"body"}, ())
            found = threads.map(lambda at: expression.value(Scope({"body": {"n": at}}, Budget())), range(8))  # noqa: B023
            assert list(found) == list(range(number, number + 8))


def test_templates_of_the_account_are_seen_with_subject_and_content(stubbed):
    campaigns = [
        {"id": 7, "kind": "email_template", "name": "Welcome", "subject": "Hi", "html": "<p>Hi</p>"},
        {"id": 8, "kind": "email_template", "name": "Bare"},
        {"id": 9, "kind": "email_campaign", "name": "June"},
    ]
    api = stubbed({"answer": {"json": "{{ account.templates }}"}}, campaigns=campaigns)

    assert api.get("/v3/contacts").json == [
        {"id": 7, "name": "Welcome", "subject": "Hi", "html": "<p>Hi</p>"},
        {"id": 8, "name": "Bare", "subject": "Bare", "html": ""},
    ]
