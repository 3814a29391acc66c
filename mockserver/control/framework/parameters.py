"""Members of queries and bodies that several calls take."""

from __future__ import annotations

from marshmallow import fields, validate

from mockserver.core.workspaces.store import NAME
from mockserver.web.server.waiting import LONGEST_WAIT


def limit() -> fields.Integer:
    """How many of a list are answered, at most."""
    return fields.Integer(load_default=100, validate=validate.Range(1, 1000))


def offset() -> fields.Integer:
    """How many of a list are left out before; JSON holds no larger number exactly."""
    return fields.Integer(load_default=0, validate=validate.Range(0, 2**53))


def wait() -> fields.Float:
    """How long to wait for something to happen, in seconds of real time."""
    return fields.Float(load_default=0.0, validate=validate.Range(0, LONGEST_WAIT))


def name() -> fields.String:
    """The name of a workspace or of a snapshot."""
    error = "must be 1 to 64 letters, digits, dots, dashes and underscores"
    return fields.String(validate=validate.Regexp(rf"{NAME.pattern}\Z", error=error))
