"""What the certificates say that the server makes."""

from __future__ import annotations

import json
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import requests
from cryptography.x509 import DNSName, SubjectAlternativeName, load_der_x509_certificate

from mockserver.web.server import certificates
from mockserver.web.server.certificates import Authority


def presented(served, name=None):
    """The certificate that a client gets that calls a server by a name."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with served.connect(name, context) as connection:
        return load_der_x509_certificate(connection.getpeercert(binary_form=True))


def names_of(certificate):
    return certificate.extensions.get_extension_for_class(SubjectAlternativeName).value.get_values_for_type(DNSName)


@pytest.mark.parametrize(
    "name",
    ["localhost", "onboarding.localhost", "api.brevo.com", "127.0.0.1", "::1", "mock", "brevo.svc", "api.mock.test"],
)
def test_a_name_that_leads_here_is_certified(served, name):
    assert served.ask(name)[0] == 200


@pytest.mark.parametrize("name", ["app.brevo.com", "acme.com", "my_service"])
def test_foreign_host_name_is_not_certified(served, name):
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        served.ask(name)


def test_names_of_the_settings_are_certified(serve_tls):
    served = serve_tls(
        tls_name=("API.acme.com", "*.shop.com", "192.0.2.7", "bücher.com"), allowed_host=(".corp.com", "*")
    )

    assert {"api.acme.com", "*.shop.com", "xn--bcher-kva.com", "*.corp.com"} <= set(names_of(presented(served)))
    for name in ("api.acme.com", "a.shop.com", "192.0.2.7", "mock.corp.com"):
        assert served.ask(name)[0] == 200


def test_a_certificate_is_valid_for_about_a_year_and_began_yesterday(served):
    found = presented(served)
    now = datetime.now(UTC)

    assert found.not_valid_before_utc < now - timedelta(hours=23)
    assert timedelta(days=300) < found.not_valid_after_utc - now < timedelta(days=398)


def test_a_certificate_is_renewed_before_it_runs_out(serve_tls, monkeypatch):
    served = serve_tls()
    before = presented(served)
    later = datetime.now(UTC) + timedelta(days=370)
    monkeypatch.setattr(certificates, "datetime", type("Later", (datetime,), {"now": classmethod(lambda *_: later)}))

    after = presented(served)

    assert after.not_valid_after_utc > before.not_valid_after_utc + timedelta(days=369)


def test_each_server_creates_a_separate_authority(served, serve_tls):
    with pytest.raises(ssl.SSLCertVerificationError):
        serve_tls().ask(context=served.trusting())


def test_contexts_for_names_that_nobody_knew_are_limited(monkeypatch):
    monkeypatch.setattr(certificates, "_MOST", 3)
    made = Authority(["localhost"])
    kept = [made.context(f"n{number}.test", "127.0.0.1") for number in range(5)]

    assert made.context("n4.test", "127.0.0.1") is kept[4]
    assert made.context("n0.test", "127.0.0.1") is not kept[0]


# ---------------------------------------------------------------------- the authority's own


def test_the_certificate_of_the_authority_is_written_where_asked(serve_tls, tmp_path):
    file = tmp_path / "ca.pem"
    served = serve_tls(tls_ca_file=file)

    assert file.read_text() == served.ca
    assert requests.get(f"{served.url}/_mock/health", verify=str(file), timeout=20).status_code == 200


def test_private_key_of_the_authority_is_not_written(serve_tls, tmp_path):
    serve_tls(tls_ca_file=tmp_path / "ca.pem")

    assert [file.name for file in tmp_path.iterdir()] == ["ca.pem"]
    assert "PRIVATE" not in (tmp_path / "ca.pem").read_text()


def test_where_memory_has_no_files_a_key_is_on_the_disk_for_a_moment(monkeypatch, tmp_path):
    monkeypatch.setattr(certificates, "_DESCRIPTORS", tmp_path / "none")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    loaded, load = [], ssl.SSLContext.load_cert_chain
    monkeypatch.setattr(
        ssl.SSLContext, "load_cert_chain", lambda self, file: loaded.append(Path(file)) or load(self, file)
    )

    Authority(["localhost"]).context("localhost", "127.0.0.1")

    assert [file.parent.parent for file in loaded] == [tmp_path]
    assert list(tmp_path.iterdir()) == []


def test_the_control_api_gives_it_to_all_who_ask(serve_tls):
    served = serve_tls(control_token="secret")
    answer = served.control("GET", "/ca")

    assert (answer.status_code, answer.text) == (200, served.ca)
    assert answer.content_type == "application/pem-certificate-chain"


def test_server_without_tls_has_no_authority(api):
    answer = api.get("/_mock/ca")

    assert (answer.status_code, answer.json["detail"]) == (404, "this server has no TLS; start it with --tls")


def test_calls_of_the_mock_to_itself_trust_it(served):
    hook = {"url": f"{served.url}/_mock/receiver/own", "events": ["hardBounce"], "type": "transactional"}
    client = served.app.test_client()
    assert client.post("/v3/webhooks", json=hook, headers={"api-key": "any"}).status_code == 201
    served.control("POST", "/trigger", {"type": "transactional", "event": "hardBounce"})

    found = json.loads(served.ask(path="/_mock/deliveries?state=delivered&wait=20")[1])

    assert [row["url"] for row in found["items"]] == [hook["url"]]
