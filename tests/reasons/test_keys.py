"""Who is not let in learns why, and of a key no more than its end is told."""

from __future__ import annotations

import pytest
import requests
from flask import Request
from stepped import Stepped
from werkzeug.test import EnvironBuilder

from mockserver.core.contract.operation import Audience
from mockserver.core.state.identifiers import api_key
from mockserver.core.workspaces.store import KeyMode, Store
from mockserver.resources.oauth.signing import Bearer, Signer
from mockserver.scenario.load import load
from mockserver.views import redaction
from mockserver.web.routing.address import WorkspaceName
from mockserver.web.routing.route import route_to
from mockserver.web.service.handlers import authenticate

GONE = api_key("0123456789abcdef" * 4)
#: Where it leads does not matter.
ROUTE = route_to(None, Audience.API, "/", {}, WorkspaceName(None, None))
NOTHING = "missing credentials: the request has no api-key header and no bearer token in an Authorization header"
NOT_READ = "which the service does not read"
KEY = f"xkeysib-{'a1' * 32}-ABCDEFGHIJ012345"
TABLE = [
    ({}, NOTHING),
    ({"X-Page-Token": "2", "Cookie": "a=b"}, NOTHING),
    ({"x-api-key": KEY}, f"{NOTHING}; it sent the header x-api-key, {NOT_READ}"),
    ({"apikey": KEY, "partner-key": KEY}, f"{NOTHING}; it sent the header apikey, the header partner-key, {NOT_READ}"),
    ({"api-key": ""}, f"{NOTHING}; it sent an empty api-key header, {NOT_READ}"),
    ({"Authorization": f"Basic {KEY}"}, f"{NOTHING}; it sent an Authorization header of the scheme Basic, {NOT_READ}"),
    ({"Authorization": KEY}, f"{NOTHING}; it sent an Authorization header without a scheme, {NOT_READ}"),
    ({"Authorization": f"Bearer {KEY}"}, "invalid access token: it is an API key, which is sent in the header api-key"),
    ({"Authorization": "Bearer xkeysib-acme-key"},
     "invalid access token: it is an API key, which is sent in the header api-key"),
    ({"Authorization": "Bearer a-token-of-nobody"},
     "invalid access token: not a signed token (1 part between dots, expected 3)"),
    ({"Authorization": "Bearer a.b.c"},
     "invalid access token: not signed by this server (no token has been signed yet)"),
    ({"api-key": "eyJhbGciOi.eyJzdWIi.c2lnbmF0dXJl"},
     "the API key ending in dXJl is an access token: send it as a bearer token in the header Authorization"),
    ({"api-key": f"Bearer {KEY}"},
     "the API key ending in 2345 begins with the name of a scheme or a header: send the key alone"),
    ({"api-key": f"api-key: {KEY}"},
     "the API key ending in 2345 begins with the name of a scheme or a header: send the key alone"),
    ({"api-key": f"'{KEY}'"}, "the API key ending in 345' is in quotes: send it without them"),
    ({"api-key": "xkeysib-"}, "the API key looks like a placeholder: send a key"),
    ({"api-key": "xkeysib-YOUR_API_KEY"}, "the API key ending in _KEY looks like a placeholder: send a key"),
    ({"api-key": "${BREVO_API_KEY}"}, "the API key ending in KEY} looks like a placeholder: send a key"),
    ({"api-key": "xsmtpsib-0123456789"}, "the API key ending in 6789 is an SMTP key: send an API key"),
    ({"api-key": "xkeysib-01234 56789"}, "the API key ending in 6789 has a space: send it without"),
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


def ask(store, headers, within=None, query=""):
    environ = EnvironBuilder(
        query_string=query, headers=headers, environ_base={"REMOTE_ADDR": "127.0.0.1"}
    ).get_environ()
    bearers = Bearer(store.inner, Signer())
    store.storage.run(lambda: authenticate(Request(environ), ROUTE, store.inner, within, bearers))


@pytest.mark.parametrize(("headers", "reason"), TABLE)
def test_refused_caller_gets_the_reason_without_the_key(store, reason_of, headers, reason):
    assert redaction.plain(reason_of(ask, store, headers)) == reason
    assert not [given for given in filter(None, headers.values()) if given.removeprefix("Bearer ") in reason]


@pytest.mark.parametrize("name", ["api-key", "api_key", "apikey", "access_token"])
def test_key_in_the_query_is_named_in_the_reason(store, reason_of, name):
    told = reason_of(ask, store, {}, None, f"limit=5&{name}={KEY}")

    assert told == f"{NOTHING}; it sent the query parameter {name}, {NOT_READ}"


def test_header_with_an_underscore_is_named_in_the_reason(serve):
    root = serve()

    assert requests.get(f"{root}/v3/account", headers={"api_key": KEY}, timeout=10).status_code == 401
    entry = requests.get(f"{root}/_mock/requests", timeout=10).json()["items"][0]
    assert entry["reason"] == f"{NOTHING}; it sent the header api_key, {NOT_READ}"


def test_warning_of_an_unknown_key_names_its_form(api):
    api.get("/v3/account", key=f'"{KEY}"')

    [warning] = api.get("/_mock/requests").json["items"][0]["warnings"]
    assert warning.startswith("unknown API key, which is in quotes: send it without them; used the")


def test_a_key_of_another_workspace_is_told_both_names(store, reason_of):
    other = store.create({"accounts": [{"name": "shop"}]}, name="other")

    told = reason_of(ask, store, {"api-key": "xkeysib-acme-key"}, other)

    assert told == "the API key ending in -key belongs to workspace default, but the request is for workspace other"
