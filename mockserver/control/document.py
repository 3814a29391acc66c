"""The OpenAPI 3.1 document of the control API, read off the declarations of its calls."""

from __future__ import annotations

import re
from functools import cache
from http import HTTPStatus
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from mockserver.control import answers
from mockserver.control.requests import Bounds
from mockserver.resources.rooms import LIFECYCLES
from mockserver.resources.section import Duration, Id24, Instant
from mockserver.scenario.match import OneOrMany, PathPattern, Texts
from mockserver.scenario.schema import After, AuthenticateDomainField
from mockserver.web.json_schema import FORMS, specification

if TYPE_CHECKING:
    from mockserver.control.noun import Call, Noun

#: ISO 8601, without the years and months that have no fixed length.
_LENGTH = r"P(?=.)([0-9]+W|([0-9]+D)?(T(?=.)([0-9]+H)?([0-9]+M)?([0-9]+([.,][0-9]+)?S)?)?)"
_DURATION = {"type": "string", "pattern": f"^{_LENGTH}$", "example": "PT15M"}
_COUNT = {"type": "integer", "minimum": 0}
_PLAIN = ["string", "number", "boolean"]

_FORMS: dict[type, dict[str, Any]] = FORMS | {
    Duration: _DURATION,
    Instant: {
        "type": "string",
        "anyOf": [{"format": "date-time"}, {"pattern": f"^[+-]?{_LENGTH}$"}],
        "description": "RFC 3339, or counted from the clock's moment: PT15M, -P1D",
    },
    Id24: {"pattern": "^[0-9a-f]{24}$"},
    After: {"type": "object", "properties": {"after": _DURATION}, "required": ["after"], "additionalProperties": False},
    AuthenticateDomainField: {
        "anyOf": [
            {"const": "immediate"},
            {"$ref": "#/components/schemas/AuthenticateDomainItem"},
        ]
    },
    PathPattern: {
        "type": ["string", "object"],
        "additionalProperties": {"type": _PLAIN},
        "description": "a glob of the whole path, or its parameters by name",
    },
    Texts: {"type": "object"},
    Bounds: {
        "anyOf": [
            _COUNT,
            {
                "type": "object",
                "properties": {"at_least": _COUNT, "at_most": _COUNT},
                "minProperties": 1,
                "additionalProperties": False,
            },
        ]
    },
}
