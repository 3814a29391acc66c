"""Reading effects: what a stub has written, once its templates are rendered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from marshmallow import ValidationError
from marshmallow.exceptions import SCHEMA

from mockserver.beyond.effects.effect import Effect
from mockserver.beyond.effects.schemas import ITEMS


def read(written: Mapping[str, Any]) -> Effect:
    """The effect that a stub has written, with its name as one of the members: `{"event": "delivered", "after": ...}`.

    Raises:
        ValueError: it is no effect; the message is a sentence that names the member.
    """
    names = [name for name in ITEMS if name in written]
    if len(names) != 1:
        raise ValueError(f"an effect has one of the members {', '.join(ITEMS)}")
    try:
        effect: Effect = ITEMS[names[0]].load(written)
    except ValidationError as error:
        path, message = next(_mistakes(error.messages, ()))
        raise ValueError(f"{'.'.join(path) or names[0]}: {message}") from None
    return effect


def _mistakes(messages: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(messages, Mapping):
        for name, inner in messages.items():
            yield from _mistakes(inner, path if name == SCHEMA else (*path, str(name)[:80]))
    elif isinstance(messages, list):
        for inner in messages:
            yield from _mistakes(inner, path)
    else:
        yield path, str(messages)
