"""What a template sees while it is evaluated, and what it may still do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from mockserver.beyond.templates.budget import Budget
from mockserver.beyond.templates.functions import Provider


class Scope(NamedTuple):
    """What a template sees: values by name, the workspace's functions, and what it may still do."""

    names: dict[str, Any]
    provider: Provider
    budget: Budget

    def within(self, names: Mapping[str, Any]) -> Scope:
        """A scope with more names, which hide those of this one."""
        return self._replace(names={**self.names, **names})
