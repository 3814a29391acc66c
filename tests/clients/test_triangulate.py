"""`.ci/triangulate.py` names each difference between the official clients and the OpenAPI document."""

import copy
import importlib.util
import re
import shutil
from pathlib import Path

import pytest
from typescript import needs_generators

from mockserver.evidence.openapi import document

_ROOT = Path(__file__).parents[2]
_spec = importlib.util.spec_from_file_location("triangulate", _ROOT / ".ci" / "triangulate.py")
triangulate = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(triangulate)

_NODE = _ROOT / "tests" / "flows" / "programs" / "js" / "node_modules" / "@getbrevo" / "brevo"
_PYTHON = Path(importlib.util.find_spec("brevo").origin).parent
pytestmark = [
    pytest.mark.slow,  # the sources of both clients take seconds to read
    needs_generators,
    pytest.mark.skipif(not _NODE.exists(), reason="needs the client: npm ci --prefix tests/flows/programs/js"),
]

#: Members of our schemas, and operations that have them.
_OURS = (
    ("SenderOut", "active", "getSenders"),
    ("NewSender", "email", "createSender"),
    ("SenderCreated", "spfError", "createSender"),
    ("WebhookOut", "createdAt", "getWebhook"),
    ("NewWebhook", "batched", "createWebhook"),
    ("NewExport", "notifyURL", "exportWebhooksHistory"),
    ("AccountOut", "companyName", "getAccount"),
    ("DomainOut", "domain_name", "getDomains"),
    ("NewEmail", "htmlContent", "sendTransacEmail"),
    ("NewContact", "updateEnabled", "createContact"),
)
#: Renames in files of the clients, and an operation that has the name: `@` stands for the name in what is replaced.
_THEIRS = (
    ("python", "account/types/get_account_response_plan_item.py", 'alias="@"', "creditsType", "kind", "getAccount"),
    ("python", "senders/types/get_senders_response_senders_item.py", "    @: bool", "active", "alive", "getSenders"),
    ("python", "types/get_webhook.py", 'alias="@"', "modifiedAt", "changedAt", "getWebhook"),
    ("python", "webhooks/raw_client.py", '"@": notify_url', "notifyURL", "callbackURL", "exportWebhooksHistory"),
    ("python", "senders/raw_client.py", '"@": domain', "domain", "hostname", "getSenders"),
    ("node", "senders/types/GetSendersResponse.d.ts", "@: boolean", "active", "enabled", "getSenders"),
    ("node", "senders/client/requests/CreateSenderRequest.d.ts", "    @: string", "email", "address", "createSender"),
    ("node", "webhooks/client/requests/CreateWebhookRequest.d.ts", "@?:", "batched", "grouped", "createWebhook"),
    ("node", "account/types/GetAccountResponse.d.ts", "@:", "companyName", "organization", "getAccount"),
    ("node", "domains/types/GetDomainsResponse.d.ts", "@:", "domain_name", "fqdn", "getDomains"),
)
_TITLES = {"python": "brevo-python", "node": "@getbrevo/brevo"}
_KNOWN = triangulate.known_names(triangulate.PAGE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def clients():
    return triangulate.read_clients(_PYTHON, _NODE)


@pytest.fixture(scope="module")
def changed_clients(tmp_path_factory):
    """Both clients with all renames."""
    folder = tmp_path_factory.mktemp("clients")
    shutil.copytree(_PYTHON, folder / "python", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(_NODE, folder / "node")
    places = {"python": folder / "python", "node": folder / "node" / "dist" / "cjs" / "api" / "resources"}
    for client, file, place, before, after, _ in _THEIRS:
        path = places[client] / file
        text = path.read_text(encoding="utf-8")
        assert place.replace("@", before) in text, file
        path.write_text(text.replace(place.replace("@", before), place.replace("@", after)), encoding="utf-8")
    return triangulate.read_clients(folder / "python", folder / "node")


@pytest.fixture(scope="module")
def lines(changed_clients):
    return triangulate.differences(document(), changed_clients, _KNOWN)


def test_no_name_and_no_type_differs_from_the_pinned_clients(clients):
    assert triangulate.differences(document(), clients, _KNOWN) == []


def test_every_operation_is_found_in_both_clients(clients):
    ids = {call["operationId"] for methods in document()["paths"].values() for call in methods.values()}

    assert {name: shapes.keys() for name, shapes in clients.items()} == dict.fromkeys(clients, ids)


@pytest.mark.parametrize(("schema", "member", "operation"), _OURS)
def test_name_that_we_lack_is_named(schema, member, operation, clients):
    ours = copy.deepcopy(document())
    properties = ours["components"]["schemas"][schema]["properties"]
    properties["renamed"] = properties.pop(member)

    found = triangulate.differences(ours, clients, _KNOWN)

    for client in clients:
        assert [row for row in found if row.startswith(f"{operation}, ") and member in row and client in row], found


@pytest.mark.parametrize(("client", "after", "operation"), [(row[0], row[4], row[5]) for row in _THEIRS])
def test_name_that_only_a_client_has_is_named(client, after, operation, lines):
    title = f"({_TITLES[client]})"
    named = [row for row in lines if row.startswith(f"{operation}, ") and row.endswith(title)]

    assert [row for row in named if re.search(rf"we lack (\S+\.)?{after}, ", row)], named


def test_only_the_renamed_names_differ(lines):
    """A model may belong to several operations."""
    named = {re.search(r"we lack (?:\S+\.)?(\w+), ", row)[1] for row in lines}

    assert named == {row[4] for row in _THEIRS}


@pytest.mark.parametrize(
    ("schema", "sentence"),
    [
        ({"type": "string"}, "getSenders, answer: senders[].active is string, and for the client boolean"),
        ({"type": ["integer", "null"]}, "getSenders, answer: senders[].active is number, and for the client boolean"),
    ],
)
def test_other_type_is_named(schema, sentence, clients):
    ours = copy.deepcopy(document())
    ours["components"]["schemas"]["SenderOut"]["properties"]["active"] = schema

    found = triangulate.differences(ours, clients, _KNOWN)

    assert len(found) == 2
    assert all(row.startswith(sentence) for row in found)


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        ("observed", []),
        ("observed_in_code", []),
        ("documented", []),
        ("proposed", ["getSenders, answer: only we have senders[].spare, and no evidence is recorded"]),
    ],
)
def test_name_that_only_we_have_needs_evidence(mark, expected, clients):
    ours = copy.deepcopy(document())
    ours["components"]["schemas"]["SenderOut"]["properties"]["spare"] = {"type": "string", "x-fidelity": mark}

    assert triangulate.differences(ours, clients, _KNOWN) == expected


def test_every_known_name_still_differs(clients):
    """A row of the table that is no longer needed hides what differs later."""
    for row in _KNOWN:
        assert [line for line in triangulate.differences(document(), clients, _KNOWN - {row}) if row[1] in line], row
