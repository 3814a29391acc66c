"""Who is not let in learns why, and of a key no more than its end is told."""

from __future__ import annotations

import pytest
from flask import Request
from stepped import Stepped
from werkzeug.test import EnvironBuilder

from mockserver.core.contract.operation import Audience
from mockserver.core.state.identifiers import api_key
from mockserver.core.workspaces.store import KeyMode, Store
from mockserver.resources.oauth.signing import Bearer, Signer
from mockserver.scenario.load import load
from mockserver.web.routing.address import WorkspaceName
from mockserver.web.routing.route import route_to
from mockserver.web.service.handlers import authenticate

GONE = api_key("0123456789abcdef" * 4)
#: Where it leads does not matter.
ROUTE = route_to(None, Audience.API, "/", {}, WorkspaceName(None, None))
TABLE = [
    ({},
     "missing credentials: the request has no api-key header and no bearer token in an Authorization header"),
    ({"Authorization": "Bearer a-token-of-nobody"},
     "invalid access token: not signed by this server (no token has been signed yet)"),
    ({"api-key": "xkeysib-nobody"},
     "the API key ending in body is unknown: no account has it, and unknown keys are refused (--keys known)"),
    ({"api-key": "who"},
     "the API key is unknown: no account has it, and unknown keys are refused (--keys known)"),
    ({"api-key": "xkeysib-acme-revoked"},
     "the API key ending in oked was revoked in workspace default"),
    ({"api-key": GONE},
     f"the API key ending in {GONE[-4:]} belongs to a workspace that no longer exists"),
    ({"api-key": "xkeysib-acme-key"},
     ("unauthorised IP address 127.0.0.1: workspace default allows 192.0.2.0/24, 198.51.100.1 "
     "(behaviour.authorised_ips)")),
]  # fmt: skip


@pytest.fixture
def store(scenario):
    """Takes known keys only, and those only from a few addresses."""
    behaviour = {"authorised_ips": ["192.0.2.0/24", "198.51.100.1"]}

    def loader(document, *, name, seed=None, keyring=None, whole=False):
        return load(document, name=name, seed=seed, keyring=keyring)

    return Stepped(Store(loader, {**scenario, "behaviour": behaviour}, keys=KeyMode.KNOWN))


def ask(store, headers, within=None):
    environ = EnvironBuilder(headers=headers, environ_base={"REMOTE_ADDR": "127.0.0.1"}).get_environ()
    bearers = Bearer(store.inner, Signer())
    store.storage.run(lambda: authenticate(Request(environ), ROUTE, store.inner, within, bearers))


@pytest.mark.parametrize(("headers", "reason"), TABLE)
def test_refused_caller_gets_the_reason_without_the_key(store, reason_of, headers, reason):
    assert reason_of(ask, store, headers) == reason
    assert not [given for given in headers.values() if given.removeprefix("Bearer ") in reason]


def test_a_key_of_another_workspace_is_told_both_names(store, reason_of):
    other = store.create({"accounts": [{"name": "shop"}]}, name="other")

    told = reason_of(ask, store, {"api-key": "xkeysib-acme-key"}, other)

    assert told == "the API key ending in -key belongs to workspace default, but the request is for workspace other"
