"""The fault of a single request, from its header `X-Mock-Fault`."""

from __future__ import annotations

from copy import copy
from functools import lru_cache
from typing import Any

from marshmallow import ValidationError

from mockserver.core.state.faults import FAULT_KINDS, Fault
from mockserver.scenario.faults import HEADER_ID, PARAMETERS, FaultItem
from mockserver.web.schemas import json_text
from mockserver.web.schemas.errors import messages_in

#: The longest header, in characters, whose fault is remembered, and how many are. Chosen: all but rules as JSON are
#: shorter, and so many take less than a megabyte.
_SHORT, _REMEMBERED = 200, 256
_TAKEN = ("fault", "force", *PARAMETERS)
_ITEM = FaultItem()


def of_header(text: str, operation: str | None) -> Fault:
    """Return the fault of a header: `NAME`, `NAME; ms=300`, or a rule as JSON. Raises ValueError."""
    return copy((_remembered if len(text) <= _SHORT else _loaded)(text, operation))


def _loaded(text: str, operation: str | None) -> Fault:
    written = _written(text)
    for name in written:
        if name in FaultItem._declared_fields and name not in _TAKEN:  # noqa: SLF001  # marshmallow has no public name for it
            raise ValueError(f"{name}: a fault of one call takes none")
    kind = FAULT_KINDS.get(str(written.get("fault")))
    if kind is not None and kind.answer is None:
        raise ValueError(f"{written['fault']} hits a TLS handshake, which is over when a request comes: add a rule")
    if operation is not None:
        written["match"] = {"operation": operation}
    try:
        fault: Fault = _ITEM.load(written)
    except ValidationError as error:
        rows = ((".".join(map(str, path)), message) for path, message in messages_in(error.messages_dict))
        raise ValueError("; ".join(f"{path}: {message}".removesuffix(".") for path, message in rows)) from error
    if operation is None and fault.match.operations:
        raise ValueError(f"{fault.kind} is for {', '.join(sorted(fault.match.operations))}, and none of them is called")
    fault.id = HEADER_ID
    return fault


#: A client asks for the same few faults again and again, and to load one takes longer than most requests.
_remembered = lru_cache(maxsize=_REMEMBERED)(_loaded)


def _written(text: str) -> dict[str, Any]:
    if text.lstrip().startswith("{"):
        found: dict[str, Any] = json_text.read(text.encode("latin-1"))
        return found
    name, *parameters = (part.strip() for part in text.split(";"))
    pairs = (parameter.partition("=") for parameter in parameters if parameter)
    return {"fault": name, **{key.strip(): _value(value.strip()) for key, _, value in pairs}}


def _value(text: str) -> Any:
    try:
        return json_text.read(text.encode("latin-1"))
    except json_text.JsonError:
        return text
