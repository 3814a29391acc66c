"""Reading a template: Jinja parses it, and only part of its syntax is admitted."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import NamedTuple

from jinja2 import TemplateSyntaxError, nodes
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from mockserver.beyond.templates.grammar import Check, SyntaxMistake
from mockserver.beyond.templates.names import ROOTS

#: The longest template, in characters. Chosen: a mail of several pages; to parse it takes some 60 milliseconds at most.
LONGEST = 10_000
#: How deep an expression may be nested. Chosen: far above any use, and far below Python's own limit.
DEEPEST = 40
#: What begins a template within a text.
_SIGNS = ("{{", "{%", "{#")
#: How many characters of a message of Jinja's are shown. Chosen: to fit on a line.
_SHOWN = 120


class Template(NamedTuple):
    """A text with templates: an expression, if it is nothing else, or the body of a template."""

    expression: nodes.Expr | None
    body: list[nodes.Node]
    #: How many parts it has: names, constants, operators and so on.
    parts: int


def is_template(text: str) -> bool:
    """Whether a text has templates; one that has none stands for itself."""
    return any(sign in text for sign in _SIGNS)


def read(text: str, known: Collection[str] = ()) -> Template:
    """A text as a template, which may use the names of `ROOTS` and `known`.

    Raises:
        SyntaxMistake: it is no template, or one that is not admitted.
    """
    if len(text) > LONGEST:
        raise SyntaxMistake(f"a template may have {LONGEST:,} characters, and this one has {len(text):,}")
    try:
        # What `Environment.parse` adds compiles code to rewrite the traceback of a mistake.
        tree = Parser(_environment(), text).parse()
    except TemplateSyntaxError as error:
        raise SyntaxMistake(f"{error.message or 'no template':.{_SHOWN}} (line {error.lineno})") from error
    except RecursionError as error:
        raise SyntaxMistake(_TOO_DEEP) from error
    except ValueError as error:  # of a number with thousands of digits
        raise SyntaxMistake(f"{error!s:.{_SHOWN}}") from error
    parts = _check_depth(tree)
    Check({*ROOTS, *known}).all_of(tree.body)
    return Template(_only_expression(tree), tree.body, parts)


_TOO_DEEP = f"is nested too deeply: the limit is {DEEPEST} levels"


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    """What parses templates. It has no loader and renders nothing."""
    return ImmutableSandboxedEnvironment()


def _check_depth(tree: nodes.Node) -> int:
    """Check how deep a tree is nested, level by level: it may be deeper than Python recurses. Returns its parts.

    Raises:
        SyntaxMistake: it is too deep.
    """
    level: list[nodes.Node] = [tree]
    parts = 0
    for _ in range(DEEPEST):
        level = [inner for node in level for inner in node.iter_child_nodes()]
        parts += len(level)
        if not level:
            return parts
    raise SyntaxMistake(f"{_TOO_DEEP} (line {level[0].lineno})")


def _only_expression(tree: nodes.Template) -> nodes.Expr | None:
    if len(tree.body) != 1 or not isinstance(tree.body[0], nodes.Output) or len(tree.body[0].nodes) != 1:
        return None
    (only,) = tree.body[0].nodes
    return None if isinstance(only, nodes.TemplateData) else only
