"""What expressions give: types, what is left out, what they see, and what makes them fail."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from jinja2.sandbox import ImmutableSandboxedEnvironment

from mockserver.beyond.stubs.budget import Budget, ExpressionError
from mockserver.beyond.stubs.grammar import SyntaxMistake, read
from mockserver.beyond.stubs.names import FAKER, Provider
from mockserver.beyond.stubs.program import Expression, Scope
from mockserver.core.workspaces.caller import Caller
from mockserver.scenario.load import load
from mockserver.web.schemas import json_text

BODY = {"n": 3, "t": "Ab c", "l": [3, 1, 2], "m": {"a": 1, "b": [None]}, "f": False, "z": None,
        "people": [{"email": "a@a.test", "age": 7}, {"email": "b@b.test", "age": 5}, {"age": 6}]}  # fmt: skip


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{{ request.json.n }}", 3),
        ("{{ request.json.l }}\n", [3, 1, 2]),
        ("{{ request.json.z }}", None),
        (" {{ request.json.n }}", " 3"),
        ("{{ request.json.n }}{{ request.json.f }}", "3false"),
        ("{{ request.json.m }}.", '{"a":1,"b":[null]}.'),
        ("no template: } } {", "no template: } } {"),
        ("{{ '{{' }}", "{{"),
        ("{{ request.json.n + 0.5 }}", 3.5),
        ("{{ 7 // 2 }}", 3),
        ("{{ -7 % 3 }}", 2),
        ("{{ 'a' ~ 1 ~ none }}", "a1null"),
        ("{{ [1] + [2] }}", [1, 2]),
        ("{{ 1 < 2 < 3 }}", True),
        ("{{ 'b' in 'abc' and 3 in request.json.l and 'a' in request.json.m }}", True),
        ("{{ 1 not in [1] }}", False),
        ("{{ request.json.f or 'x' }}", "x"),
        ("{{ 'yes' if request.json.n is odd else 'no' }}", "yes"),
        ("{{ request.json.t[0] ~ request.json.l[-1] ~ request.json['t'] }}", "A2Ab c"),
        ("{{ request.json.l[1:] }}", [1, 2]),
        ("{{ request.json.t[::-1] }}", "c bA"),
        ("{{ {'a': request.json.n, 'b': omit} }}", {"a": 3}),
        ("{{ (1, omit, 2) }}", [1, 2]),
        ("{{ request.json.a.b.c | default('d') }}", "d"),
        ("{{ request.json.z | default('d') }}", None),
        ("{{ request.json.z | default('d', true) }}", "d"),
        ("{{ request.json.a.b is defined }}", False),
        ("{{ request.json.people | map(attribute='age') | sum }}", 18),
        ("{{ request.json.people | sum(attribute='age') }}", 18),
        (
            "{{ request.json.people | selectattr('email', 'defined') | map(attribute='email') | join(', ') }}",
            "a@a.test, b@b.test",
        ),
        ("{{ request.json.people | rejectattr('email', 'defined') | length }}", 1),
        ("{{ request.json.people | selectattr('age', 'in', [5, 7]) | map(attribute='age') | list }}", [7, 5]),
        ("{{ request.json.people | sort(attribute='age') | map(attribute='age') }}", [5, 6, 7]),
        ("{{ request.json.l | sort(reverse=true) }}", [3, 2, 1]),
        ("{{ request.json.l | map('string') | map('replace', '1', 'x') | list }}", ["3", "x", "2"]),
        ("{{ request.json.l | select('odd') | list }}", [3, 1]),
        ("{{ request.json.l | min ~ request.json.l | max }}", "13"),
        ("{{ [1, 1, 'a', 2] | unique }}", [1, "a", 2]),
        ("{{ [[1], [2, 3], 4] | flatten }}", [1, 2, 3, 4]),
        ("{{ ['b', 'A', 'a'] | sort ~ ['b', 'A', 'a'] | sort(case_sensitive=true) }}", '["A","a","b"]["A","a","b"]'),
        ("{{ ['b', 'B', 'a'] | unique }}", ["b", "a"]),
        ("{{ ['b', 'B', 'a'] | unique(true) | max }}", "b"),
        ("{{ request.json.people | map(attribute='email', default='?') | last }}", "?"),
        ("{{ request.json.people | selectattr('age', 'gt', 5) | map(attribute='age') }}", [7, 6]),
        ("{{ {'a': 1, 'b': 2, 'c': 3, 'd': 4} | without('a', ['b', 'c']) }}", {"d": 4}),
        ("{{ [1, '1', none, 2, [2], {'a': 1}] | without(1, [none, 2]) }}", ["1", [2], {"a": 1}]),
        ("{{ request.json.m | combine({'b': 2, 'c': 3}) }}", {"a": 1, "b": 2, "c": 3}),
        ("{{ {'a': {'b': 1, 'c': 1}} | combine({'a': {'b': 2}}, recursive=true) }}", {"a": {"b": 2, "c": 1}}),
        ("{{ request.json.m | without('a') }}", {"b": [None]}),
        ("{{ request.json.l | without(1, 3) }}", [2]),
        ("{{ request.json.m | items | first }}", ["a", 1]),
        ("{{ request.json.m | list + request.json.m.keys() }}", ["a", "b", "a", "b"]),
        ("{{ request.json.m.values() }}", [1, [None]]),
        ("{{ request.json.m | tojson }}", '{"a":1,"b":[null]}'),
        ("{{ ' a b '.strip().split(' ') }}", ["a", "b"]),
        ("{{ request.json.t.lower().split() }}", ["ab", "c"]),
        ("{{ request.json.m.get('a') ~ request.json.m.get('c', 'd') ~ request.json.m.get('e') }}", "1dnull"),
        ("{{ request.headers.get('X-Kind') }}", "call"),
        ("{{ request.json.t.startswith('Ab') and request.json.t.endswith('c') }}", True),
        ("{{ 'a/b é' | urlencode }}", "a%2Fb%20%C3%A9"),
        ("{{ 'é' | b64encode | b64decode }}", "é"),
        ("{{ '12' | int + ' 7 ' | int + 'x' | int(1) + '2.5' | float }}", 22.5),
        ("{{ 2.567 | round(1) }}", 2.6),
        ("{{ 2.567 | round }}", 3),
        ("{{ now }}", "2026-01-15T09:00:00.000Z"),
        ("{{ now | moved('P1DT1H') }}", "2026-01-16T10:00:00.000Z"),
        ("{{ now | moved('-PT0.5S') | date('%Y%m%d %H:%M:%S.%f') }}", "20260115 08:59:59.500"),
        ("{{ ('2026-01-15T10:00:00+01:00' | timestamp) == (now | timestamp) }}", True),
        ("{{ 'a@b.test' is email and 'a@' is not email and 7 is not email }}", True),
        ("{{ [1] is list and 'a' is not list and {'a': 1} is not list }}", True),
        ("{{ {'a': none, 'b': 0} | compact }}", {"b": 0}),
        ("{{ [none, 1, ''] | compact }}", [1, ""]),
        ("{{ 'Bob@BÜCHER.test' | address }}", "bob@xn--bcher-kva.test"),
        ("{{ [] | selectattr('a') }}", []),
        ("{{ request.method }}", "POST"),
        ("{{ request.query.a ~ request.query.b[1] ~ request.query.c | default('') }}", "13"),
        ("{{ request.headers['X-KIND'] ~ request.headers['x-kind'] }}", "callcall"),
        ("{{ request.json.people | length > 2 }}", True),
        ("{{ account.name ~ account.role ~ account.credits }}", "acmemaster3"),
        ("{{ account.senders | selectattr('active') | map(attribute='email') }}", ["news@acme.test"]),
        ("{{ account.domains }}", [{"name": "acme.test", "state": "authenticated"}]),
        ("{{ account.relay.enabled }}", True),
        ("{{ behaviour.otp_lifetime ~ behaviour.dns }}", "PT15Mview"),
        ("{{ next_id('x') ~ next_id('x') ~ next_id('y') }}", "121"),
        ("{{ range(3) ~ range(1, 7, 3) }}", "[0,1,2][1,4]"),
        ("{{ 5 <= random(5, 6) <= 6 }}", True),
        ("{{ stored('t') | length }}", 0),
        ("{{ message_id().startswith('<202601150900.') }}", True),
        ("{{ faker.email() is email }}", True),
    ],
)  # fmt: skip
def test_an_expression_gives(answer_of, template, value):
    query = "a=1&b=2&b=3"
    given_value = answer_of(
        template, method="POST", json=BODY, query_string=query, headers={"X-Kind": "call"}
    )  # fmt: skip
    assert given_value == value
    assert type(given_value) is type(value)


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{{ request.json.name }}", "request.json.name is undefined"),
        ("{{ request.json['name'].first }}", "request.json['name'] is undefined"),
        ("{{ 'a' if false }}", "evaluated to false and no else section was defined"),
        ("{{ request.json.a ~ 'b' }}", "request.json.a is undefined"),
        ("{{ not request.json.a }}", "request.json.a is undefined"),
        ("{{ [request.json.a] }}", "request.json.a is undefined"),
        ("{{ request.json.a | lower }}", "request.json.a is undefined"),
        ("{{ request.json.a == 1 }}", "request.json.a is undefined"),
        ("{{ 'a' | replace('a', request.json.b) }}", "request.json.b is undefined"),
        ("{{ [{}] | map(attribute='a') }}", "member 'a' of an item is undefined"),
        ("{{ 1 + 'a' }}", "expected a number, got 'a'"),
        ("{{ true + 1 }}", "expected a number, got true"),
        ("{{ 2 * 'a' }}", "expected a number, got 'a'"),
        ("{{ 1 | lower }}", "expected a text, got 1"),
        ("{{ 'a' | combine({}) }}", "expected a mapping, got 'a'"),
        ("{{ 1 < 'a' }}", "'<' not supported between instances of 'int' and 'str'"),
        ("{{ 1 / 0 }}", "division by zero"),
        ("{{ 9223372036854775807 + 1 }}", "a number is beyond 64 bits"),
        ("{{ {1: 2} }}", "expected a text as the name of a member, got 1"),
        ("{{ stored('t', 'k') }}", "stored('t', 'k') is undefined"),
        ("{{ [] | first }}", "No first item, sequence was empty"),
        ("{{ 'x' | timestamp }}", "'x' is not an RFC 3339 date-time"),
        ("{{ now | moved('1 day') }}", "'1 day' leads to no moment: not a duration"),
        ("{{ now | date('%Z') }}", "unknown directive %Z; known: %Y, %m"),
        ("{{ range(1001) }}", "a range has more than 1,000 numbers"),
        ("{{ range(1000) | map(attribute='a', default=range(1000)) }}", "as large as 1,001,001 others"),
        ("{{ range(1000) | join | replace('', '" + "b" * 900 + "') }}",
         "a text has 2,604,790 characters, the limit is 1,000,000"),
        ("{{ range(1000) | select('in', range(1000)) }}", "this request take more than 20,000 steps"),
        ("{{ [1] | map('nobody') }}", "No filter named 'nobody'"),
        ("{{ random(2, 1) }}", "expected a number of 2 at least, got 1"),
        ("{{ stored('t', 1.5) }}", "expected a whole number, got 1.5"),
    ],
)  # fmt: skip
def test_an_expression_fails_with_a_reason(failure_of, template, reason):
    assert reason in failure_of(template)


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("{{ nobody }}", "unknown name nobody"),
        ("{{ requst.json }}", "did you mean request?"),
        ("{{ request }}", "request is not a value; it has headers, id, json"),
        ("{{ request.jsn }}", "request has no jsn; did you mean json?"),
        ("{{ account.sender }}", "account has no sender; did you mean senders?"),
        ("{{ behaviour.dnz }}", "behaviour has no dnz; did you mean dns?"),
        ("{{ faker.nobody() }}", "faker has no nobody"),
        ("{{ faker.name }}", "faker.name is a function: write faker.name()"),
        ("{{ faker.name(1) }}", "faker.name takes no arguments"),
        ("{{ uuid }}", "uuid is a function"),
        ("{{ uid() }}", "unknown function uid; did you mean uuid?"),
        ("{{ uuid(1) }}", "uuid: too many positional arguments"),
        ("{{ stored() }}", "stored: missing a required argument: 'table'"),
        ("{{ range(stop=1) }}", "range takes arguments by position"),
        ("{{ next_id(now) }}", "next_id takes the name of a kind"),
        ("{{ 1 | lowr }}", "unknown filter lowr; did you mean lower?"),
        ("{{ 1 is defned }}", "unknown test defned; did you mean defined?"),
        ("{{ 'a'.encode() }}", "unknown method encode; known: capitalize"),
        ("{{ 1() }}", "only functions can be called"),
        ("{{ 2 ** 3 }}", "“pow” is nothing that an expression may have"),
        ("{% include 'a' %}", "{% %} and {# #} are gone: write a {{ }} expression"),
        ("{{ 1 }}{# none #}", "{% %} and {# #} are gone"),
        ("{% raw %}", "{% %} and {# #} are gone"),
        ("{{ 'a'.lower(*[]) }}", "arguments have to be written one by one"),
        ("{{ 99999999999999999999 }}", "a number is beyond 64 bits"),
        ("{{ " + "[" * 50 + "]" * 50 + " }}", "is nested too deeply: the limit is 40 levels"),
        ("{{ '" + "a" * 10_000 + "' }}", "a text with expressions may have 10,000 characters"),
        ("{{ 1 }\n{{ 2", "(line 1)"),
        ("\n{{ 1 + }}", "(line 2)"),
    ],
)  # fmt: skip
def test_a_text_that_is_no_expression_is_refused_with_a_reason(template, told):
    with pytest.raises(SyntaxMistake) as refused:
        read(template)
    assert told in str(refused.value)


def test_faker_and_draws_follow_the_seed(stubbed):
    value = ["{{ faker.name() }}", "{{ uuid() }}", "{{ random(1, 1000000) }}", "{{ message_id() }}"]
    one, other = (stubbed({"answer": {"json": value}}) for _ in range(2))
    first = [one.get("/v3/contacts").json for _ in range(2)]
    assert first == [other.get("/v3/contacts").json for _ in range(2)]
    assert first[0] != first[1]


@pytest.mark.parametrize("what", sorted(FAKER))
def test_made_up_data_are_plain_and_follow_the_seed(what):
    workspaces = [load({"accounts": [{"name": "a"}], "seed": 7}, name="w") for _ in range(2)]
    providers = [Provider(Caller(one, one.state.first_account), Budget()) for one in workspaces]
    one, other = ([provider.faker(what) for _ in range(2)] for provider in providers)
    assert one == other
    assert json_text.read(json_text.write(one)) == one


# ---------------------------------------------------------------------- as Jinja has it

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
