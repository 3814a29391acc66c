"""Faults before there is a request: a handshake that is refused, and a certificate that has run out."""

from __future__ import annotations

import socket
import ssl
import threading

import pytest
import requests
from stepped import held_elsewhere
from tls_server import PATIENCE, exchange

from mockserver.core.state.faults import ALERTS


@pytest.mark.parametrize("alert", ALERTS)
def test_a_handshake_is_refused_by_the_alert_of_the_rule(served, alert):
    served.add("tls_handshake", alert=alert)

    with pytest.raises(ssl.SSLError, match=f"(?i){alert.replace('_', '.')}"):
        served.connect()


def test_without_an_alert_a_handshake_fails_as_such(served):
    served.add("tls_handshake")

    with pytest.raises(ssl.SSLError, match="HANDSHAKE_FAILURE"):
        served.connect()


def test_where_the_alert_is_none_the_connection_is_reset(served):
    served.add("tls_handshake", alert="none")

    with pytest.raises(ConnectionResetError):
        served.connect()


def test_an_expired_certificate_is_expired_and_nothing_else(served):
    served.add("expired_certificate")

    with pytest.raises(ssl.SSLCertVerificationError, match="certificate has expired"):
        served.connect()


def test_a_client_that_looks_at_no_certificate_is_answered(served):
    served.add("expired_certificate")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

    assert served.ask(context=context)[0] == 200


def test_a_client_that_resumes_gets_the_expired_certificate(served):
    """Else it would not look at it."""
    context = served.trusting()
    with served.connect(context=context) as first:
        exchange(first)
        session = first.session
    served.add("expired_certificate")
    plain = socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE)
    with plain, pytest.raises(ssl.SSLCertVerificationError, match="certificate has expired"):
        context.wrap_socket(plain, server_hostname="localhost", session=session)


@pytest.mark.parametrize("fault", ["tls_handshake", "expired_certificate"])
def test_requests_tells_of_tls(served, ca_file, fault):
    served.add(fault)

    with pytest.raises(requests.exceptions.SSLError):
        requests.get(f"https://localhost:{served.port}/v3/senders", verify=ca_file, timeout=PATIENCE)


# ---------------------------------------------------------------------- when


def outcomes(served, number, **options):
    """Of so many connections, whether each is answered."""
    found = []
    for _ in range(number):
        try:
            found.append(served.ask(**options)[0] == 200)
        except ssl.SSLError:
            found.append(False)
    return found


def test_a_rule_hits_as_often_as_it_says_and_counts(served):
    identifier = served.add("tls_handshake", times=2, after=1)

    assert outcomes(served, 4) == [True, False, False, True]
    rule = served.control("GET", f"/faults/{identifier}").json
    assert (rule["hits"], rule["active"]) == (2, False)


def test_a_rule_ends_on_the_clock_of_the_workspace(serve_tls):
    served = serve_tls()
    served.add("tls_handshake", ttl_s=60)
    assert outcomes(served, 1) == [False]

    served.control("POST", "/clock/advance", {"by": "PT2M"})

    assert outcomes(served, 1) == [True]


def test_a_rule_of_probability_0_never_hits(served):
    served.add("tls_handshake", probability=0)

    assert outcomes(served, 3) == [True] * 3


def test_the_first_rule_that_hits_is_the_one(served):
    served.add("expired_certificate", times=1)
    served.add("tls_handshake", times=1)

    with pytest.raises(ssl.SSLCertVerificationError):
        served.connect()
    with pytest.raises(ssl.SSLError, match="HANDSHAKE_FAILURE"):
        served.connect()


def test_a_connection_that_is_open_is_not_hit(served):
    with served.connect() as connection:
        served.add("tls_handshake")

        assert exchange(connection)[0] == 200


def test_rules_of_requests_and_of_handshakes_do_not_use_each_other_up(served):
    handshakes, requests_ = served.add("tls_handshake", times=1), served.add("unavailable", times=1)

    assert outcomes(served, 1) == [False]
    assert served.ask()[0] == 503
    assert served.ask()[0] == 200
    hits = {row["id"]: row["hits"] for row in served.control("GET", "/faults").json["items"]}
    assert hits == {handshakes: 1, requests_: 1}


def test_a_fault_of_handshakes_is_counted_by_the_metrics(serve_tls):
    served = serve_tls()
    served.add("tls_handshake", times=1)
    outcomes(served, 2)

    assert 'mockserver_faults_total{fault="tls_handshake"} 1.0' in served.control("GET", "/metrics").text


def test_a_handshake_leaves_no_request_in_the_journal(serve_tls):
    served = serve_tls()
    served.add("tls_handshake", times=1)
    outcomes(served, 1)

    assert served.control("GET", "/requests").json["items"] == []


# ---------------------------------------------------------------------- for whom


@pytest.fixture
def onboarding(served):
    assert served.control("POST", "/workspaces", {"name": "onboarding"}).status_code == 201
    yield "onboarding"
    served.control("DELETE", "/workspaces/onboarding")


def test_the_name_that_is_called_names_the_workspace_whose_rules_count(served, onboarding):
    served.add("tls_handshake", workspace=onboarding)

    assert outcomes(served, 1, name="onboarding.localhost") == [False]
    assert outcomes(served, 1, name="onboarding.mock.test") == [False]
    assert outcomes(served, 1, name="localhost") == [True]
    assert outcomes(served, 1, name="api.brevo.com") == [True]


def test_a_name_that_may_be_somebody_elses_names_no_workspace(served):
    served.control("POST", "/workspaces", {"name": "api"})
    served.add("tls_handshake", workspace="api")
    try:
        assert outcomes(served, 1, name="api.brevo.com") == [True]
    finally:
        served.control("DELETE", "/workspaces/api")


@pytest.mark.parametrize("name", ["localhost", "api.brevo.com", "127.0.0.1", "nobody.localhost"])
def test_else_those_of_the_default_workspace_count(served, onboarding, name):
    served.add("tls_handshake", times=1)

    assert outcomes(served, 1, name="onboarding.localhost") == [True]
    assert outcomes(served, 1, name=name) == [False]


def test_who_offers_the_protocol_of_the_mock_is_never_hit(served):
    served.add("tls_handshake")
    context = served.trusting()
    context.set_alpn_protocols(["mockserver-control", "http/1.1"])

    assert outcomes(served, 1, context=context) == [True]


def test_a_handshake_waits_for_the_lock_of_its_workspace_and_holds_up_nobody(serve_tls):
    served = serve_tls(keys="isolate")
    served.add("tls_handshake", times=1)
    served.control("POST", "/workspaces", {"name": "other"})
    found = []
    waiting = threading.Thread(target=lambda: found.extend(outcomes(served, 1)))
    with held_elsewhere(served.app.store.storage, served.app.store.peek("default")):
        waiting.start()
        assert served.ask("other.localhost", "/w/other/v3/senders")[0] == 401
        assert found == []
    waiting.join(PATIENCE)

    assert found == [False]


# ---------------------------------------------------------------------- what is refused


def refused(api_or_served, body, method="POST", path="/faults"):
    call = getattr(api_or_served, "control", None) or (
        lambda method, path, body: api_or_served.request(method, f"/_mock{path}", json=body)
    )
    answer = call(method, path, body)
    assert answer.status_code == 400, answer.text
    assert call("GET", "/faults", None).json["items"] == []
    return {row["path"]: row["message"] for row in answer.json["errors"]}


@pytest.mark.parametrize("fault", ["tls_handshake", "expired_certificate"])
def test_a_server_without_tls_refuses_them(api, fault):
    sentence = f"{fault} requires TLS: start the server with --tls"

    assert refused(api, {"fault": fault}) == {"/fault": sentence}
    assert refused(api, {"items": [{"fault": "hang"}, {"fault": fault}]}, "PUT") == {"/items/1/fault": sentence}


@pytest.mark.parametrize("match", [{"operation": "getSenders"}, {"headers": {"api-key": "x"}}])
@pytest.mark.parametrize("force", [False, True])
def test_a_pattern_of_requests_is_refused(served, match, force):
    found = refused(served, {"fault": "tls_handshake", "match": match, "force": force})

    assert found == {"/match": "tls_handshake hits a TLS handshake, which knows no request: it takes no match"}


def test_an_unknown_alert_is_refused_with_those_that_there_are(served):
    assert "handshake_failure" in refused(served, {"fault": "tls_handshake", "alert": "boom"})["/alert"]


def test_the_header_of_a_request_comes_too_late(api):
    answer = api.get("/v3/senders", headers={"X-Mock-Fault": "expired_certificate"})

    assert answer.status_code == 400
    assert "which is over when a request comes" in answer.json["message"]


def test_a_scenario_may_bring_them_for_a_server_that_speaks_tls(serve_tls):
    served = serve_tls(scenario={"extends": "standard", "faults": [{"fault": "tls_handshake", "times": 1}]})

    assert outcomes(served, 2) == [False, True]
