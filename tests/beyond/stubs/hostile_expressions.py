"""Templates as nobody should write them: known ways out of sandboxes, and any number of made-up ones."""

from __future__ import annotations

from tables import tables

from mockserver.beyond.stubs.filters import FILTERS, METHODS, TESTS
from mockserver.beyond.stubs.names import FUNCTIONS

CASES = tables(__file__)
#: Ways out of Jinja's sandboxes and into Python that were published, and what resembles them.
ESCAPES = CASES["escapes"]

#: Expressions that take as much time or memory as they can.
GREEDY = [
    *CASES["greedy"],
    "{% set a = 'xxxxxxxxxx' %}" + "{% set a = a ~ a %}" * 60 + "{{ a }}",
    "{{ " + "range(1000) + " * 600 + "[] }}",
    "{{ " + "range(1000) | join ~ " * 400 + "'' }}",
    "{{ " + "(" * 35 + "'ab'" + " | replace('', 'abcdefgh'))" * 35 + " }}",
    "{{ request.json.name" + " | replace('', request.json.name)" * 30 + " }}",
    "{{ range(1000) | map(attribute='" + "a." * 1000 + "a', default=1) | list }}",
    "{{ " + "range(1000)[:] == range(1000)[:] and " * 200 + "1 }}",
    "{{ " + "999 in range(1000) and " * 400 + "1 }}",
    "{{ " + "range(1000) | sort and " * 400 + "1 }}",
    "{{ [" + "1," * 4900 + "] }}",
    "{{ " + "{'a': " * 45 + "1" + "}" * 45 + " }}",
    "{{ " + "-" * 39 + "1 }}",
    "{{ " + "not " * 60 + "1 }}",
    "{{ " + "1 + " * 2000 + "1 }}",
    "{{ " + "1 if 0 else " * 30 + "1 }}",
    "{{ uuid() " + "~ uuid() " * 900 + "}}",
    "{{ 'é' " + "| urlencode " * 30 + "}}",
    "{{ " + "range(99) | map('string') | list | sort | unique | reverse | join | list | " + "sort }}",
    "{{ faker.name() " + "~ faker.name() " * 300 + "}}",
]

_NAMES = ["request.json", "request.query", "request.headers", "request.path", "account.senders", "account.name", "now",
          "omit", "item", "item.a", "item.items", "stored('t')", "stored('t', 'k')", "behaviour.dns"]  # fmt: skip
_MEMBERS = ["__class__", "__init__", "a", "items", "0", "email", "_private", "mro", "format", "name", "length"]
_TEXTS = ["''", "'a'", "'{0.__class__}'", "'%s'", "'/etc/passwd'", "'__class__'", "'é\\n'", "'PT1H'",
          "'2026-01-15T09:00:00Z'", "'%Y'", "'eA=='"]  # fmt: skip
_NUMBERS = ["0", "1", "-1", "7", "2.5", "99999", "9223372036854775807", "1e308", "true", "none"]
_OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "~", "==", "!=", "<", ">=", "in", "not in", "and", "or"]


def expression(random, depth):
    """An expression of Jinja, at most so deep, of whatever comes to mind."""
    if depth <= 0:
        return random.choice(random.choice([_NAMES, _TEXTS, _NUMBERS]))

    def inner():
        return expression(random, depth - random.randint(1, 3))

    forms = [
        lambda: f"({inner()} {random.choice(_OPERATORS)} {inner()})",
        lambda: f"{inner()}.{random.choice(_MEMBERS)}",
        lambda: f"({inner()})[{inner()}]",
        lambda: f"({inner()})[{inner()}:{inner()}]",
        lambda: f"[{inner()}, {inner()}]",
        lambda: f"{{{random.choice(_TEXTS)}: {inner()}}}",
        lambda: f"({inner()} if {inner()} else {inner()})",
        lambda: f"(not {inner()})",
        lambda: f"(-{inner()})",
        lambda: f"({inner()} | {random.choice([*FILTERS, 'attr', 'format', 'safe'])})",
        lambda: f"({inner()} | {random.choice([*FILTERS])}({inner()}))",
        lambda: f"({inner()} | {random.choice(['map', 'select', 'reject'])}({_text(random)}, {inner()}))",
        lambda: f"({inner()} is {random.choice([*TESTS, 'callable'])})",
        lambda: f"{random.choice([*FUNCTIONS, 'dict', 'open'])}({inner()})",
        lambda: f"range({random.randint(0, 99_999)})",
        lambda: f"({inner()}).{random.choice([*METHODS, 'format', 'mro'])}({inner()})",
    ]
    return random.choice(forms)()


def _text(random):
    return repr(random.choice([*FILTERS, *TESTS, "attr"]))


def template(random):
    """An expression, two with words between, or signs in any order."""
    kind = random.random()
    if kind < 0.6:
        return f"{{{{ {expression(random, 4)} }}}}"
    if kind < 0.8:
        return f"a {{{{ {expression(random, 3)} }}}} b {{{{ {expression(random, 2)} }}}}"
    signs = ["{{", "}}", "{%", "%}", "{#", "#}", "-", "|", "(", ")", "[", "]", ".", "for", "in", "if", "else", "endfor",
             "set", "=", ",", ":", " ", "\n", "\x00", "\\", "'", '"', "é", *_NAMES, *_NUMBERS, *_TEXTS]  # fmt: skip
    return "".join(random.choice(signs) for _ in range(random.randint(1, 30)))
