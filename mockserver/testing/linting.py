"""The names of rules that make a command or a session fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from mockserver.core.text.messages import nearest
from mockserver.testing.names import RuleName

RULES: Sequence[str] = get_args(RuleName)
#: Stands for all rules.
_ALL = "all"


def chosen_rules(text: str) -> frozenset[str]:
    """Return the rules that a text names, with commas between them; `all` names each.

    Raises:
        ValueError: a name is unknown.
    """
    names = {name.strip() for name in text.split(",")}
    for name in sorted(names - {_ALL, *RULES}):
        raise ValueError(f"{name!r} is no rule; {nearest(name, [*RULES, _ALL])}")
    return frozenset(RULES) if _ALL in names else frozenset(names)
