"""JSON values as HTML that folds: each object and each list can be closed."""

from __future__ import annotations

import json
from typing import Any

from markupsafe import Markup, escape

#: How deep a value is unfolded, and how many members it shows; chosen: more than anybody reads on a page.
_DEEPEST = 12
_MOST = 500
#: How long a text may be before it is cut; the rest is counted.
_LONGEST = 4_000


def folded(value: Any, identifier: str = "json") -> Markup:
    """A JSON value as HTML; objects and lists are `<details>`, open but for those deep down, with ids that begin alike.

    What is beyond the bounds of depth and number is counted, and not shown.
    """
    return _Folding().write(value, identifier, 0)


class _Folding:
    """One value being written, with the number of members that may still be shown."""

    def __init__(self) -> None:
        self._left = _MOST

    def write(self, value: Any, identifier: str, depth: int) -> Markup:
        if not isinstance(value, (dict, list)):
            return _scalar(value)
        if not value:
            return Markup("<code>{}</code>") if isinstance(value, dict) else Markup("<code>[]</code>")
        if depth >= _DEEPEST:
            return Markup('<span class="soft">{}, not shown</span>').format(_counted(value))
        rows = value.items() if isinstance(value, dict) else enumerate(value)
        written, shown = [], 0
        for position, (name, member) in enumerate(rows):
            if self._left <= 0:
                break
            self._left -= 1
            shown += 1
            label = Markup('<bdi class="name">{}</bdi> ').format(_cut(str(name)))
            written.append(
                Markup("<li>{}{}</li>").format(label, self.write(member, f"{identifier}-{position}", depth + 1))
            )
        if shown < len(value):
            written.append(Markup('<li class="soft">and {} more</li>').format(len(value) - shown))
        return Markup('<details id="{}" class="json"{}><summary>{}</summary><ul>{}</ul></details>').format(
            identifier, Markup(" open") if depth < 3 else "", _counted(value), Markup("").join(written)
        )


def _counted(value: dict[Any, Any] | list[Any]) -> str:
    what = ("member", "members") if isinstance(value, dict) else ("item", "items")
    return f"{len(value)} {what[len(value) != 1]}"


def _scalar(value: Any) -> Markup:
    kind = "text" if isinstance(value, str) else "plain"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return Markup('<code class="{}"><bdi>{}</bdi></code>').format(kind, _cut(text))


def _cut(text: str) -> Markup:
    if len(text) <= _LONGEST:
        return escape(text)
    return Markup('{}<span class="soft">… and {} characters more</span>').format(
        text[:_LONGEST], f"{len(text) - _LONGEST:,}"
    )
