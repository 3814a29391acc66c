"""The control API's document against the control API, for requests that nobody thought of.

Schemathesis makes requests of the document, good ones and bad ones, and holds the answers against it: they have the
declared form, a bad request is refused, a good one is taken, nothing is answered with a 5xx.
"""

from __future__ import annotations

import re
from collections import Counter
from zlib import crc32

import pytest
import schemathesis
from examples import examples
from schemathesis.config import SchemathesisConfig
from schemathesis.pytest.lazy import get_all_tests
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    negative_data_rejection,
    positive_data_acceptance,
    unsupported_method,
)
from stepped import Stepped

from mockserver import Settings, create_app

pytestmark = pytest.mark.slow  # some thousand requests, made of the documents

TOKEN = "secret"
AUTHORIZATION = {"Authorization": f"Bearer {TOKEN}"}
KEY = "xkeysib-acme"
#: Calls to this address are refused at once.
NOBODY = "http://127.0.0.1:1/"
SCENARIO = {
    "extends": "corporate-v2",
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [
        {
            "name": "acme",
            "senders": [{"id": 2, "name": "Ops", "email": "ops@acme.test", "state": "awaiting_verification"}],
            "domains": [{"name": "acme.test", "state": "authenticated"}],
            "webhooks": [{"id": 7, "url": NOBODY, "events": ["delivered"]}],
            "deliveries": [{
                "id": 1, "target": {"url": NOBODY}, "payloads": [{"event": "delivered"}], "events": ["delivered"],
                "created_at": "-PT1H", "webhook": 7, "kind": "transactional", "state": "dropped",
            }],
            "exports": [{
                "id": 1, "requested_at": "-PT1H", "url": "http://localhost/_mock/exports/1-abc.csv",
                "state": "notified", "content": "webhook_id\r\n",
                "filters": {"type": "transactional", "event": "allEvents", "notifyURL": NOBODY},
            }],
        }
    ],
    "faults": [{"fault": "latency", "ms": 1, "id": "slow"}],
    "stubs": [{"id": "notes", "method": "GET", "path": "/v3/notes", "answer": {"json": []}}],
    "oauth_apps": [{"client_id": "crm"}],
}  # fmt: skip
#: What the workspace has, by a word of the path and the name of the parameter.
KNOWN = {
    ("workspaces", "name"): ["other", "default"], ("snapshots", "name"): ["before"],
    ("scenarios", "name"): ["standard", "onboarding"],
    ("docs", "name"): ["start.js", "openapi.json", "swagger-ui.css"], ("faults", "identifier"): ["slow"],
    ("stubs", "identifier"): ["notes"], ("machines", "key"): ["2", "acme.test"],
    ("machines", "event"): ["expire_otp", "verify", "delete"], ("dns", "domain"): ["acme.test"],
    ("deliveries", "identifier"): ["1"], ("exports", "name"): ["1-abc.csv"], ("receiver", "name"): ["mine"],
    ("receivers", "name"): ["mine"], ("oauth", "client_id"): ["crm"],
}  # fmt: skip
_CLOCK = r"the clock (shows moments|goes backwards)"
#: JSON knows no whole numbers: a schema takes 1.0 for one, and a scenario or a count does not.
_WHOLE = r"not an integer|whole numbers? from 0"
_SCENARIO = (
    r"has no dedicated IP|duplicate IP|weights? |solution does not have this feature|unknown scenario|nothing to add"
    r"|PUT /_mock/clock|choose it when|duplicate|not a domain name"
    rf"|{_WHOLE}|{_CLOCK}"
)
#: The bounds of a number, which a schema does not tell of the duration that may take its place.
_SPAN = r"(ms|ttl_s): out of range"
#: A schema knows no texts of YAML, nor what they describe: their mistakes have lines.
_CHOICE = rf"{_SCENARIO}|give scenario or yaml|yaml:\d+: "
_FAULT = (
    rf"takes (no|median_ms|low_ms)|missing required key|give (ms or|headers or a body)|never answers|no operation gives"
    rf"|no such parameter|less than low_ms|reserved name|unknown (operation|code)|{_WHOLE}|{_CLOCK}|{_SPAN}"
)
_APP = (
    r"no account is named|public apps are not allowed|duplicate client_id|expected (ASCII|an absolute URL)"
    r"|must have (no fragment|a host)|not a URL"
)
_STUB = (
    r"conflicts with|duplicate parameter|is not a segment of a path|give json or text|give answer or answers"
    r"|not the id of this stub|must be a name of letters|an effect has one of"
    rf"|has no body|of a header|the mock writes itself|must be a path of at most|{_WHOLE}"
)
_ACCOUNT = r"unknown account"
#: A schema knows no largest number; JSON of any call is held to 64 bits, as the service's own is.
_ANY_CALL = r"a number is beyond 64 bits"
#: Rules between members, and what is known of the workspace: a schema cannot tell them, and the document says so.
BEYOND_A_SCHEMA = {
    "putClock": rf"give now, frozen or both|{_CLOCK}",
    "postClockAdvance": rf"give exactly one of by, seconds and to|unknown timer|{_CLOCK}",
    "putDnsByDomain": r"give brevo_code",
    "postFaults": _FAULT,
    "putFaults": _FAULT,
    **dict.fromkeys(("postStubs", "putStubs", "putStubsByIdentifier"), _STUB),
    "postTrigger": (
        r"give either event or story|only allowed together with event|unknown event of|not an e-mail address"
        rf"|{_ACCOUNT}"
    ),
    "postInbound": _ACCOUNT,
    "postKeysRevoke": rf"give a key|does not belong to account|{_ACCOUNT}",
    "putReceiversByName": rf"give status, delay_ms|{_WHOLE}|{_SPAN}",
    "getRequests": "unknown (?:operation|method|transition|path)",
    "getDeliveries": "unknown event",
    "postRequestsVerify": rf"unknown (?:operation|method|path)|give json or json_exactly|at_least is greater|{_WHOLE}",
    "postOauthApps": _APP,
    "putOauthAppsByClientId": rf"at least one field to change|{_APP}",
    **dict.fromkeys(("postSeed", "putState"), _SCENARIO),
    **dict.fromkeys(("postReset", "postWorkspaces"), _CHOICE),
}
#: `catalogue`, `verify` and `history` stand where an identifier or an event may stand, so their addresses take its
#: methods as well.
OVERLAID = ("getFaultsCatalogue", "postRequestsVerify", "getMachinesByMachineByKeyHistory")

APP = create_app(Settings(control_token=TOKEN))
#: Of a whole scenario there would be thousands of cases at the bounds of its members: these get cases at random only.
TAKE_SCENARIOS = ("putState", "postSeed", "postReset", "postWorkspaces")
#: The members of a scenario that are made up here: of the whole, a single document takes minutes.
MADE_UP = ("description", "seed", "solution", "strict", "clock", "senders", "domains", "dns")


def shortened():
    """The document as it is served, with less in the scenarios that are sent; those that come are held to the whole."""
    document = APP.test_client().get("/_mock/control.json", headers=AUTHORIZATION).json
    schemas = document["components"]["schemas"]
    whole = schemas["ScenarioItem"]
    schemas["ShortScenario"] = {**whole, "properties": {name: whole["properties"][name] for name in MADE_UP}}
    short = {"$ref": "#/components/schemas/ShortScenario"}
    for path, method in (("/_mock/state", "put"), ("/_mock/seed", "post")):
        for content in document["paths"][path][method]["requestBody"]["content"].values():
            content["schema"] = short
    for name in ("NewWorkspace", "Reset"):
        schemas[name]["properties"]["scenario"]["anyOf"][1] = short
    del document["paths"]["/_mock/stream"]  # it has no end; test_stream.py reads it
    return document


def schema(document, has_bounds):
    """Returns the document for Schemathesis, with or without cases at the bounds of members."""
    config = {
        "auth": {"openapi": {"control-token": {"bearer": TOKEN}}},
        "phases": {"coverage": {"enabled": has_bounds}},
    }
    found = schemathesis.openapi.from_dict(document, config=SchemathesisConfig.from_dict(config))
    found.app = APP
    return found


DOCUMENT = shortened()
NAMES = [call["operationId"] for calls in DOCUMENT["paths"].values() for call in calls.values()]
SCHEMAS = {has_bounds: schema(DOCUMENT, has_bounds) for has_bounds in (True, False)}


def control(method, path, **options):
    answer = APP.test_client().open(path, method=method, headers=AUTHORIZATION, **options)
    assert answer.status_code < 300
    return answer


def reset():
    """The same workspace for every case that looks for something: a request in the journal, a mail, a snapshot, a
    fault and a second workspace."""
    store = Stepped(APP.store)
    for workspace in store.loaded():
        if workspace is not store.default:
            store.drop(workspace)
    control("DELETE", "/_mock/snapshots")
    control("POST", "/_mock/reset", json={"scenario": SCENARIO})
    control("POST", "/_mock/snapshots", json={"name": "before"})
    control("POST", "/_mock/workspaces", json={"name": "other"})
    sender = {"name": "New", "email": "new@acme.test"}
    assert APP.test_client().post("/v3/senders", json=sender, headers={"api-key": KEY}).status_code == 201


def has_changed_something(case, answer):
    """A call that reads or is refused leaves all as it was: test_control_calls.py shows it."""
    return case.method != "GET" and answer.status_code < 400


def operation_of(case):
    return case.operation.definition.raw["operationId"]


def steer(case):
    """Let most of the good requests ask for something that is there, and none wait: nothing would come."""
    if case.query and str(case.query.get("wait", "")).replace(".", "").isdigit():
        case.query["wait"] = 0
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    draw = crc32(f"{case.path_parameters}{case.body}{case.query}".encode("utf-8", "surrogatepass"))
    if operation_of(case) == "postSeed" and draw % 2:
        # What is made up as a whole has hardly ever two parts that fit together.
        case.body = only(case.body, "description", "strict") or {"description": "More."}
    if operation_of(case) == "postTrigger" and draw % 2:
        fitting = only(case.body, "to", "payload")
        case.body = {**fitting, "type": "transactional", "channel": "email", "event": "delivered"}
    if draw % 8:
        replace(case.headers, {"X-Mock-Workspace": "default", "api-key": KEY})
        replace(case.body, {"account": "acme"})
        replace(case.query, {"operation": "createSender"})
        for name in case.path_parameters or ():
            known = known_parts(case.method, case.operation.path, name)
            if known:
                case.path_parameters[name] = known[draw // 8 % len(known)]


def only(made_up, *names):
    """The members with these names of a body, if it has members."""
    return {name: made_up[name] for name in names if hasattr(made_up, "keys") and name in made_up}


def replace(made_up, known):
    """Let members that stand there have values that the workspace knows."""
    if made_up and hasattr(made_up, "keys"):
        for name in known.keys() & made_up.keys():
            made_up[name] = known[name]


def known_parts(method, path, name):
    if name == "identifier" and "requests" in path:
        return [row["id"] for row in control("GET", "/_mock/requests").json["items"]]
    if name == "identifier" and "mailbox" in path:
        mail = control("GET", "/_mock/mailbox").json["items"][0]["id"]
        return [mail, f"{mail}.eml", f"{mail}.html"] if method == "GET" else [mail]
    return KNOWN.get((path.split("/")[2], name))


def excluded(case, answer):
    """The checks that do not fit: that good data is taken where a schema cannot say all that makes it good, say."""
    # What is open by one method is not so by all: without the token an unknown one is 401.
    is_open = case.operation.definition.raw.get("security") == []
    none = [unsupported_method] if is_open else []
    none += [allow_header_conformance] if operation_of(case) in OVERLAID else []
    none += [negative_data_rejection] if is_blank(case.body) else []
    rule = "|".join(filter(None, (_ANY_CALL, BEYOND_A_SCHEMA.get(operation_of(case)))))
    beyond = answer.status_code == 400 and re.search(rule, answer.json()["detail"])
    return [*none, positive_data_acceptance] if beyond else none


def is_blank(body):
    """Of bytes that are no JSON some are white space alone, which counts as no body."""
    return isinstance(body, bytes) and not body.strip()


@pytest.fixture(scope="module", autouse=True)
def met():
    """How often each operation has answered with each status; there must be enough of all, and some good ones."""
    found = Counter()
    reset()
    yield found
    if {operation for operation, _ in found} == set(NAMES):
        assert found.total() >= 1000
        assert [name for name in NAMES if not any(found[name, status] for status in (200, 201, 204))] == []


def hold(met, case):
    steer(case)
    answer = case.call()
    if has_changed_something(case, answer):
        reset()
    met[operation_of(case), answer.status_code] += 1
    case.validate_response(answer, excluded_checks=excluded(case, answer))


@pytest.mark.parametrize("operation", NAMES)
def test_answers_conform_to_the_document(met, operation):
    """Requests are made of the document as the test runs; as tests are collected, for all, this takes 15 s."""
    one = SCHEMAS[operation not in TAKE_SCENARIOS].include(operation_id=operation)
    for made in get_all_tests(schema=one, test_func=hold, settings=examples(4), given_kwargs=None):
        made.ok()[1](met=met)
