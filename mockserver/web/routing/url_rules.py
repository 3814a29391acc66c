"""The addresses of the control API as URL rules of Flask."""

from __future__ import annotations

from collections.abc import Callable

from werkzeug.routing import Rule


class MatchedRule(Rule):
    """A rule that is only matched: no URL is ever built from it, and to prepare for that is most of a rule's cost."""

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        return lambda *_, **__: ("", "")
