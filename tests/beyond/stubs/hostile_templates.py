"""Templates as nobody should write them: known ways out of sandboxes, and any number of made-up ones."""

from __future__ import annotations

from mockserver.beyond.templates.filters import METHODS
from mockserver.beyond.templates.functions import FUNCTIONS
from mockserver.beyond.templates.item_filters import ALL_FILTERS
from mockserver.beyond.templates.kinds import TESTS

#: Ways out of Jinja's sandboxes and into Python that were published, and what resembles them.
ESCAPES = [
    "{{ ''.__class__ }}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ ''['__class__']['__mro__'] }}",
    "{{ ''|attr('__class__') }}",
    "{{ [].__class__.__base__.__subclasses__()[40]('/etc/passwd').read() }}",
    "{{ ().__class__.__bases__[0] }}",
    "{{ {}.__init__.__globals__ }}",
    "{{ request.__class__ }}",
    "{{ request['__class__'] }}",
    "{{ request.json.__class__.__init__ }}",
    "{{ request.application.__globals__.__builtins__.__import__('os').popen('id').read() }}",
    "{{ request.headers.__getitem__.__func__ }}",
    "{{ account.__init__.__globals__ }}",
    "{{ account._make }}",
    "{{ faker.__class__ }}",
    "{{ faker.factories }}",
    "{{ faker.seed_instance(1) }}",
    "{{ faker.binary() }}",
    "{{ faker.add_provider('os') }}",
    "{{ faker.format('name') }}",
    "{{ faker['name'] }}",
    "{{ now.__class__ }}",
    "{{ omit.__class__ }}",
    "{{ omit.__reduce__() }}",
    "{{ uuid.__globals__ }}",
    "{{ next_id.__globals__['sys'] }}",
    "{{ self }}",
    "{{ self.__init__.__globals__ }}",
    "{{ self._TemplateReference__context }}",
    "{{ config }}",
    "{{ g }}",
    "{{ get_flashed_messages.__globals__ }}",
    "{{ url_for.__globals__ }}",
    "{{ lipsum.__globals__['os'].popen('id') }}",
    "{{ cycler.__init__.__globals__.os }}",
    "{{ joiner.__init__.__globals__ }}",
    "{{ namespace.__init__.__globals__ }}",
    "{{ namespace(a=1) }}",
    "{{ dict(a=1) }}",
    "{{ dict.__base__ }}",
    "{{ ''.format('') }}",
    "{{ '{0.__class__}'.format(1) }}",
    "{{ '{0.__class__}'.format_map({}) }}",
    "{{ ('{0.__class__}'|format)(1) }}",
    "{{ '%(a)s'|format(a=1) }}",
    "{{ '%s' % now }}",
    "{{ ''.join.__self__ }}",
    "{{ [''].sort.__call__() }}",
    "{{ ['a']|map('attr', '__class__')|list }}",
    "{{ ['a']|map(attribute='__class__')|list }}",
    "{{ ['a']|map(attribute='__class__.__mro__')|list }}",
    "{{ ['a']|selectattr('__class__')|list }}",
    "{{ ['a']|groupby('__class__') }}",
    "{{ ['a']|sort(attribute='__class__') }}",
    "{{ ['a']|sum(attribute='__class__') }}",
    "{{ ['a']|xmlattr }}",
    "{{ ''|safe }}",
    "{{ ''|escape }}",
    "{{ ''|pprint }}",
    "{{ ''|filesizeformat }}",
    "{{ ''|wordwrap(0) }}",
    "{{ ''|indent(99999999) }}",
    "{{ ''|center(99999999999) }}",
    "{{ 'a'|urlize }}",
    "{{ 1|random }}",
    "{% include '/etc/passwd' %}",
    "{% include request.json.name %}",
    "{% import '/etc/passwd' as x %}",
    "{% from 'os' import popen %}",
    "{% extends 'layout' %}",
    "{% block a %}{% endblock %}",
    "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
    "{% call(x) request.json() %}{% endcall %}",
    "{% filter upper %}a{% endfilter %}",
    "{% set request = 1 %}",
    "{% set x.y = 1 %}",
    "{% set ns = namespace() %}",
    "{% set x %}{{ 1 }}{% endset %}",
    "{% with a = 1 %}{{ a }}{% endwith %}",
    "{% autoescape true %}{% endautoescape %}",
    "{% do request.json.pop('a') %}",
    "{% debug %}",
    "{% print 1 %}{{ self }}",
    "{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "{% for a in [1] %}{{ loop.__class__ }}{{ loop._iterator }}{% endfor %}",
    "{% for a.b in [1] %}{% endfor %}",
    "{% for __class__ in [1] %}{{ __class__.__class__ }}{% endfor %}",
    "{{ range.__class__ }}",
    "{{ range(10 ** 9) }}",
    "{{ (1).__class__ }}",
    "{{ 1 .bit_length() }}",
    "{{ 'a'.encode() }}",
    "{{ 'a'.mro() }}",
    "{{ {'a': 1}.get.__self__ }}",
    "{{ request.json.items.__self__ }}",
    "{{ request.json.pop('a') }}",
    "{{ request.json.update({}) }}",
    "{{ stored.__globals__ }}",
    "{{ stored(request.json.__class__) }}",
    "{{ next_id(request.json.kind) }}",
    "{{ next_id('a' ~ 1) }}",
    "{{ uuid(*request.json) }}",
    "{{ 'a'|replace(**request.json) }}",
    "{{ (request)['js' ~ 'on'] }}",
    "{{ [request] }}",
    "{{ [account][0] }}",
    "{{ request if true else account }}",
    "{{ __import__('os') }}",
    "{{ open('/etc/passwd') }}",
    "{{ eval('1') }}",
    "{{ caller() }}",
    "{{ varargs }}",
    "{{ environment }}",
    "{{ 'a'|d|attr('upper') }}",
    "{{ loop }}",
    "{{ _ }}",
    "{{ '\\ud800' }}",
]

#: Expressions that take as much time or memory as they can.
GREEDY = [
    "{{ range(1000000000) }}",
    "{{ range(-9223372036854775807, 9223372036854775807) }}",
    "{{ range(1000, 1, -9223372036854775807) }}",
    "{{ 'a' * 1000000000 }}",
    "{{ [1] * 1000000000 }}",
    "{{ 2 ** 1000000 }}",
    "{{ 9223372036854775807 * 9223372036854775807 }}",
    "{{ 1e308 * 10 }}",
    "{{ -9223372036854775807 - 2 }}",
    "{{ 9 // 0 }}",
    "{{ 9 % 0.0 }}",
    "{{ 1 is divisibleby 0 }}",
    "{{ 'a' | replace('', 'b' | replace('b', 'cccccccccc')) }}",
    "{% for a in range(10000) %}{% for b in range(10000) %}x{% endfor %}{% endfor %}",
    "{% for a in range(200) %}{{ range(200) | join(range(200) | join) }}{% endfor %}",
    "{% set a = [1, 1] %}"
    + "".join(f"{{% set a{n} = [a{n - 1 if n else ''}, a{n - 1 if n else ''}] %}}" for n in range(40))
    + "{{ a39 }}",
    "{% set a = 'xxxxxxxxxx' %}" + "{% set a = a ~ a %}" * 60 + "{{ a }}",
    "{% set a = 'xxxxxxxxxx' %}" + "{% set a = a + a %}" * 60 + "{{ a }}",
    "{% set a = [1] %}" + "{% set a = a + a %}" * 60 + "{{ a }}",
    "{% set a = [1] %}" + "{% set a = [a] %}" * 300 + "{{ a }}",
    "{% set a = {} %}" + "{% set a = {'a': a, 'b': a} %}" * 60 + "{{ a == a | combine({}) }}",
    "{% set a = 'ab' %}" + "{% set a = a | replace('a', a) %}" * 60 + "{{ a }}",
    "{% set a = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' %}" + "{% set a = a | list | join(a) %}" * 30 + "{{ a }}",
    "{{ " + "range(99) | map('string') | list | sort | unique | reverse | join | list | " + "sort }}",
    "{{ range(9000) | sort == range(9000) | sort(reverse=true) }}",
    "{{ range(5000) | select('in', range(5000)) | list }}",
    "{{ range(5000) | unique | map('string') | join(', ') | split(',') | length }}",
    "{{ range(9000) | batch(1) | flatten | batch(1) | flatten | sum }}",
    "{{ faker.name() " + "~ faker.name() " * 300 + "}}",
    "{{ 'é' | urlencode | urlencode | urlencode | urlencode | b64encode | b64encode | b64encode }}",
    "{{ now | moved('P999999999999999999999D') }}",
    "{{ now | moved('P99999999D') }}",
    "{{ '%Y' * 3 }}",
    "{{ now | date('%') }}",
    "{{ now | date('%c%G%Z') }}",
    "{{ '9999-99-99T99:99:99Z' | timestamp }}",
    "{{ ('9' * 5000) | int }}",
    "{{ '1e400' | float }}",
    "{{ 'nan' | float }}",
    "{{ '٣' | int }}",
    "{{ 1.5 | round(99999999) }}",
    "{{ 'a' | truncate(-1) }}",
    "{{ [] | first }}",
    "{{ [] | max }}",
    "{{ [1, 'a'] | sort }}",
    "{{ [none, 1] | max }}",
    "{{ [[1]] | join }}",
    "{{ {'a': 1} < {'b': 2} }}",
    "{{ 'a' in 1 }}",
    "{{ [1][99999999999] }}",
    "{{ 'a'['b'] }}",
    "{{ [1, 2][::0] }}",
    "{{ [1, 2]['a':] }}",
    "{{ omit ~ omit }}",
    "{{ [omit, {'a': omit}] }}",
    "{{ range(3) | map('default', omit) }}",
    "{{ {'a': 1} | map('combine') }}",
    "{{ [1] | map('replace') }}",
    "{{ [1] | map('map', 'map') }}",
    "{{ [1] | select('map') }}",
    "{{ [1] | selectattr }}",
    "{{ [1] | selectattr(1) }}",
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
        lambda: f"({inner()} | {random.choice([*ALL_FILTERS, 'attr', 'format', 'safe'])})",
        lambda: f"({inner()} | {random.choice([*ALL_FILTERS])}({inner()}))",
        lambda: f"({inner()} | {random.choice(['map', 'select', 'reject'])}({_text(random)}, {inner()}))",
        lambda: f"({inner()} is {random.choice([*TESTS, 'callable'])})",
        lambda: f"{random.choice([*FUNCTIONS, 'dict', 'open'])}({inner()})",
        lambda: f"range({random.randint(0, 99_999)})",
        lambda: f"({inner()}).{random.choice([*METHODS, 'format', 'mro'])}({inner()})",
    ]
    return random.choice(forms)()


def _text(random):
    return repr(random.choice([*ALL_FILTERS, *TESTS, "attr"]))


def template(random):
    """A template: an expression, statements around one, or signs in any order."""
    kind = random.random()
    if kind < 0.6:
        return f"{{{{ {expression(random, 4)} }}}}"
    if kind < 0.8:
        over, when, then, other = (expression(random, depth) for depth in (3, 2, 3, 2))
        inner = f"{{% if {when} %}}{{{{ {then} }}}}{{% else %}}{{% set b = {other} %}}{{{{ b }}}}{{% endif %}}"
        return f"{{% for a in {over} %}}{inner}{{% endfor %}}"
    signs = ["{{", "}}", "{%", "%}", "{#", "#}", "-", "|", "(", ")", "[", "]", ".", "for", "in", "if", "else", "endfor",
             "set", "=", ",", ":", " ", "\n", "\x00", "\\", "'", '"', "é", *_NAMES, *_NUMBERS, *_TEXTS]  # fmt: skip
    return "".join(random.choice(signs) for _ in range(random.randint(1, 30)))
