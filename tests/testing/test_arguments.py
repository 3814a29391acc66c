"""The types of keyword arguments name what a server takes, and functions refuse other names."""

from inspect import signature
from typing import get_type_hints

import pytest

from mockserver import MockServer, Settings
from mockserver.beyond.stubs.schema import StubItem
from mockserver.control.traffic.requests import RequestFilter
from mockserver.resources.domains.section import DnsItem
from mockserver.resources.oauth import section as apps
from mockserver.scenario.faults import FaultItem
from mockserver.scenario.match import ExchangeMatchItem
from mockserver.testing import arguments
from mockserver.testing.client import Client

#: The members of faults and stubs that only a running workspace sets.
_RUNNING = {"hits", "passed", "expires_at", "position"}


def fields(schema, *others):
    """The names of the fields of a schema, but for others, which the functions take as parameters."""
    return set(schema().fields) - {*others}


def test_type_names_exactly_what_the_server_takes():
    for kind, taken in [
        (arguments.Filter, fields(RequestFilter, "limit", "offset", "wait", "format")),
        (arguments.Pattern, fields(ExchangeMatchItem)),
        (arguments.FaultOptions, fields(FaultItem, "fault", "match", "times", *_RUNNING)),
        (arguments.StubMembers, fields(StubItem, "method", "path", "answer", *_RUNNING)),
        (arguments.AppChange, fields(apps.AppChange)),
        (arguments.AppMembers, fields(apps.AppItem)),
        (arguments.DnsRecords, fields(DnsItem)),
        (arguments.CallOptions, {*signature(Client.call).parameters} - {"self", "method", "path", "cancellation"}),
    ]:  # fmt: skip
        assert set(kind.__annotations__) == taken


def test_server_settings_have_the_types_of_settings():
    own = {"scenario", "seed", "keys"}  # parameters of their own

    settings = {name: hint for name, hint in get_type_hints(Settings).items() if name not in own}
    assert get_type_hints(arguments.ServerSettings) == settings


def test_server_refuses_an_unknown_setting_with_advice():
    for name, advice in [
        ("prot", "did you mean port?"),
        ("sed", "did you mean seed?"),
        ("xyz", "known: allowed_host, answers_limit, "),
    ]:
        with pytest.raises(TypeError) as refusal:
            MockServer(**{name: 1})
        assert str(refusal.value).startswith(f"MockServer has no argument '{name}'; {advice}")
