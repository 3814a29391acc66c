"""What templates give: types, what is left out, what they see, and what makes them fail."""

from __future__ import annotations

import pytest
from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from jinja2.sandbox import ImmutableSandboxedEnvironment

from mockserver.beyond.stubs.provider import Provider
from mockserver.beyond.templates.budget import Budget
from mockserver.beyond.templates.functions import FAKER
from mockserver.beyond.templates.grammar import SyntaxMistake
from mockserver.beyond.templates.scope import Scope
from mockserver.beyond.templates.syntax import read
from mockserver.beyond.templates.value import Reader
from mockserver.beyond.templates.values import TemplateError
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
        ("{# nothing #}a", "a"),
        ("{% raw %}{{ a }}{% endraw %}", "{{ a }}"),
        ("{% if request.json.n > 2 %}many{% elif false %}x{% else %}few{% endif %}", "many"),
        ("{% for x in request.json.l if x > 1 %}{{ loop.index }}{{ x }} {% else %}none{% endfor %}", "13 22 "),
        ("{% for x in [] %}{{ x }}{% else %}none{% endfor %}", "none"),
        ("{% for k, v in request.json.m.items() %}{{ k }}={{ v }};{% endfor %}", "a=1;b=[null];"),
        ("{% set a = 1 %}{% for x in [1] %}{% set a = 2 %}{% endfor %}{{ a }}", "1"),
        ("{{ request.json.n + 0.5 }}", 3.5),
        ("{{ 7 // 2 }}", 3),
        ("{{ -7 % 3 }}", 2),
        ("{{ 'a' ~ 1 ~ none }}", "a1null"),
        ("{{ [1] + [2] }}", [1, 2]),
        ("{{ 1 == true }}", False),
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
        ("{{ request.json.people | selectattr('email') | map(attribute='email') | join(', ') }}", "a@a.test, b@b.test"),
        ("{{ request.json.people | rejectattr('email', 'defined') | length }}", 1),
        ("{{ request.json.people | selectattr('age', 'in', [5, 7]) | map(attribute='age') | list }}", [7, 5]),
        ("{{ request.json.people | sort(attribute='age') | map(attribute='age') }}", [5, 6, 7]),
        ("{{ request.json.l | sort(reverse=true) }}", [3, 2, 1]),
        ("{{ request.json.l | map('string') | map('replace', '1', 'x') | list }}", ["3", "x", "2"]),
        ("{{ request.json.l | select('odd') | list }}", [3, 1]),
        ("{{ request.json.l | min ~ request.json.l | max }}", "13"),
        ("{{ [1, 1, 'a', true] | unique }}", [1, "a", True]),
        ("{{ [[1], [2, 3], 4] | flatten }}", [1, 2, 3, 4]),
        ("{{ ['b', 'A', 'a'] | sort ~ ['b', 'A', 'a'] | sort(case_sensitive=true) }}", '["A","a","b"]["A","a","b"]'),
        ("{{ ['b', 'B', 'a'] | unique }}", ["b", "a"]),
        ("{{ ['b', 'B', 'a'] | unique(true) | max }}", "b"),
        ("{{ request.json.people | map(attribute='email', default='?') | last }}", "?"),
        ("{{ request.json.people | map(attribute='email', default=omit) | length }}", 2),
        ("{{ request.json.people | selectattr('age', 'gt', 5) | map(attribute='age') }}", [7, 6]),
        ("{{ request.json.l | batch(2) }}", [[3, 1], [2]]),
        ("{{ {'a': 1, 'b': 2, 'c': 3, 'd': 4} | without('a', ['b', 'c']) }}", {"d": 4}),
        ("{{ [1, true, 1.0, '1', none, [2], {'a': 1}] | without(1, none, [[2]]) }}", [True, "1", {"a": 1}]),
        ("{{ [0, false, {'a': 1}, {'b': 1}] | without(false, {'a': 1}) }}", [0, {"b": 1}]),
        ("{{ request.json.m | combine({'b': 2, 'c': 3}) }}", {"a": 1, "b": 2, "c": 3}),
        ("{{ {'a': {'b': 1, 'c': 1}} | combine({'a': {'b': 2}}, recursive=true) }}", {"a": {"b": 2, "c": 1}}),
        ("{{ request.json.m | without('a') }}", {"b": [None]}),
        ("{{ request.json.l | without(1, 3) }}", [2]),
        ("{{ request.json.m | items | first }}", ["a", 1]),
        ("{{ request.json.m | names ~ request.json.m.keys() }}", '["a","b"]["a","b"]'),
        ("{{ request.json.m | tojson }}", '{"a":1,"b":[null]}'),
        ("{{ ' a b ' | trim | split(' ') }}", ["a", "b"]),
        ("{{ request.json.t.lower().split() }}", ["ab", "c"]),
        ("{{ request.json.m.get('a') ~ request.json.m.get('c', 'd') ~ request.json.m.get('e') }}", "1dnull"),
        ("{{ '-'.join(request.json.l) }}", "3-1-2"),
        ("{{ request.headers.get('X-Kind') }}", "call"),
        ("{{ now.isoformat() ~ now.strftime('/%Y') }}", "2026-01-15T09:00:00.000Z/2026"),
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
        ("{{ 'https://a.test/b' is url and 'a' is not url }}", True),
        ("{{ uuid() is uuid and 'a' is not uuid }}", True),
        ("{{ now is instant and '2026' is not instant }}", True),
        ("{{ 'eA==' is base64 and 'e' is not base64 }}", True),
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
def test_a_template_gives(answer_of, template, value):
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
        ("{{ 'a' if false }}", "a condition without else is undefined"),
        ("{{ request.json.a ~ 'b' }}", "request.json.a is undefined"),
        ("{{ not request.json.a }}", "request.json.a is undefined"),
        ("{{ [request.json.a] }}", "request.json.a is undefined"),
        ("{{ request.json.a | lower }}", "request.json.a is undefined"),
        ("{{ request.json.a == 1 }}", "request.json.a is undefined"),
        ("{{ 'a' | replace('a', request.json.b) }}", "request.json.b is undefined"),
        ("{{ 1 + 'a' }}", "expected a number, got a text"),
        ("{{ 1 | lower }}", "expected a text, got a number"),
        ("{{ 'a' | first | sum }}", "expected a list, got a text"),
        ("{{ 1 < 'a' }}", "a number is compared with a text"),
        ("{{ 1 / 0 }}", "a number is divided by zero"),
        ("{{ 9223372036854775807 + 1 }}", "a number is beyond 64 bits"),
        ("{{ stored('t', 'k') }}", "stored('t', 'k') is undefined"),
        ("{{ [] | first }}", "the first of an empty list is undefined"),
        ("{{ 'x' | timestamp }}", "'x' is not an RFC 3339 date-time"),
        ("{{ now | moved('1 day') }}", "'1 day' leads to no moment: not a duration"),
        ("{{ range(100000) }}", "the templates of this request take more than 20,000 steps"),
        ("{% for a, b in [[1]] %}{% endfor %}", "2 names for 1 item"),
        ("{{ [1] | map('nobody') }}", "map takes attribute= or the name of a filter"),
        ("{{ [1] | select('nobody') }}", "unknown test 'nobody'"),
        ("{{ random(2, 1) }}", "expected a number of 2 at least, got a number"),
        ("{{ stored('t', none) }}", None),
        ("{{ stored('t', 1.5) }}", "expected a whole number, got a number"),
        ("\n\n{{ 1 }}\n{{ none + 1 }}", "line 4: expected a number, got null"),
    ],
)  # fmt: skip
def test_a_template_fails_with_a_reason(failure_of, answer_of, template, reason):
    if reason is None:
        assert answer_of(template) == []
    else:
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
        ("{{ uuid(1) }}", "uuid takes 0 arguments by position"),
        ("{{ stored() }}", "stored takes 1 to 2 arguments by position"),
        ("{{ next_id(now) }}", "next_id takes the name of a kind"),
        ("{{ 1 | lowr }}", "unknown filter lowr; did you mean lower?"),
        ("{{ 1 | lower(2) }}", "the filter lower: too many positional arguments"),
        ("{{ 1 | default(value=2) }}", "the filter default: "),
        ("{{ 1 is defned }}", "unknown test defned; did you mean defined?"),
        ("{{ 'a'.encode() }}", "unknown method encode; known: endswith"),
        ("{{ 1() }}", "only functions can be called"),
        ("{{ 2 ** 3 }}", "“pow” is nothing that a template may have"),
        ("{% include 'a' %}", "“include” is nothing that a template may have"),
        ("{% set now = 1 %}", "duplicate name now"),
        ("{{ uuid(*[]) }}", "arguments have to be written one by one"),
        ("{{ 99999999999999999999 }}", "a number is beyond 64 bits"),
        ("{{ " + "[" * 50 + "]" * 50 + " }}", "is nested too deeply: the limit is 40 levels"),
        ("{{ '" + "a" * 10_000 + "' }}", "a template may have 10,000 characters"),
        ("{{ 1 }\n{{ 2", "(line 1)"),
        ("\n{% if %}", "(line 2)"),
    ],
)  # fmt: skip
def test_a_template_that_is_none_is_refused_with_a_reason(template, told):
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
    one, other = ([provider.made_up(what) for _ in range(2)] for provider in providers)
    assert one == other
    assert json_text.read(json_text.write(one)) == one


# ---------------------------------------------------------------------- as Jinja has it

#: Not those of which docs/reference/stubs.md says that they differ: the operators `~`, `*` and `%` for texts, `==`.


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
        filtered(inner, "sort", "reverse | list", "list", "unique | list", "batch(2) | first | default([])",
                 "map('abs') | list", "select('odd') | list", "reject('gt', 2) | list"),
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
    reader = Reader()
    value = reader.value(f"{{{{ {expression} }}}}", (), frozenset({"body"}))
    assume(not reader.mistakes)
    try:
        ours = value.given(Scope({"body": BODY}, None, Budget()))
    except TemplateError:
        return
    environment = ImmutableSandboxedEnvironment()
    assert ours == plain(environment.compile_expression(expression, undefined_to_none=False)(body=BODY))
