"""A certificate of somebody else's, and settings that cannot be."""

from __future__ import annotations

import ssl
import subprocess
import sys
from datetime import datetime

import pytest
import trustme
from tables import tables

from mockserver import Settings, create_app

#: The tables of the tests by name.
CASES = tables(__file__)


@pytest.fixture(scope="module")
def issuer():
    return trustme.CA()


@pytest.fixture(scope="module")
def files(issuer, tmp_path_factory):
    """The files of a certificate: by itself, its key, both in one, and a key that is encrypted."""
    folder = tmp_path_factory.mktemp("certificate")
    leaf = issuer.issue_cert("localhost", "mock.acme.com")
    chain = b"".join(blob.bytes() for blob in leaf.cert_chain_pems)
    found = {"cert": folder / "cert.pem", "key": folder / "key.pem", "both": folder / "both.pem"}
    found["cert"].write_bytes(chain)
    found["key"].write_bytes(leaf.private_key_pem.bytes())
    found["both"].write_bytes(leaf.private_key_pem.bytes() + chain)
    found["encrypted"] = folder / "encrypted.pem"
    command = ["openssl", "pkey", "-in", found["key"], "-aes128", "-passout", "pass:x", "-out", found["encrypted"]]
    subprocess.run(command, check=True, capture_output=True)
    found["other"] = folder / "other.pem"
    found["other"].write_bytes(issuer.issue_cert("localhost").private_key_pem.bytes())
    found["noise"] = folder / "noise.pem"
    found["noise"].write_bytes(b"\xff\x00 no certificate")
    found["damaged"] = folder / "damaged.pem"
    found["damaged"].write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    found["trusted"] = folder / "trusted.pem"
    command = ["openssl", "x509", "-in", found["cert"], "-trustout", "-out", found["trusted"]]
    subprocess.run(command, check=True, capture_output=True)
    found["negative"] = folder / "negative.pem"
    command = ["openssl", "req", "-x509", "-key", found["key"], "-subj", "/CN=localhost", "-set_serial", "-5", "-out"]
    subprocess.run([*command, found["negative"]], check=True, capture_output=True)
    found["folder"], found["missing"] = folder, folder / "missing.pem"
    return found


@pytest.mark.parametrize("given", [{"tls_cert": "cert", "tls_key": "key"}, {"tls_cert": "both"}], ids=["two", "one"])
def test_own_certificate_is_presented_to_all_clients(serve_tls, issuer, files, given):
    served = serve_tls(**{name: files[file] for name, file in given.items()})
    context = ssl.create_default_context(cadata=issuer.cert_pem.bytes().decode())

    assert served.ask("mock.acme.com", context=context)[0] == 200
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        served.ask("api.brevo.com", context=context)


def test_server_with_its_own_certificate_shows_no_authority(serve_tls, files):
    answer = serve_tls(tls_cert=files["both"]).control("GET", "/ca")

    assert (answer.status_code, answer.json["detail"]) == (
        404,
        "this server did not issue its certificate (--tls-cert), so it has no authority to show",
    )


def test_own_certificate_cannot_be_made_to_run_out_but_its_handshakes_can_be_refused(serve_tls, files):
    served = serve_tls(tls_cert=files["both"])
    answer = served.control("POST", "/faults", {"fault": "expired_certificate"})
    assert (answer.status_code, answer.json["errors"]) == (
        400,
        [{"path": "/fault", "message": "expired_certificate requires a server without --tls-cert"}],
    )

    served.add("tls_handshake")

    with pytest.raises(ssl.SSLError, match="HANDSHAKE_FAILURE"):
        served.connect()


def test_one_that_has_run_out_is_served_and_told(serve_tls, issuer, tmp_path, caplog):
    leaf = issuer.issue_cert("localhost", not_before=datetime(2020, 1, 1), not_after=datetime(2021, 1, 1))  # noqa: DTZ001
    file = tmp_path / "old.pem"
    leaf.private_key_and_cert_chain_pem.write_to_path(file)
    served = serve_tls(tls_cert=file)

    with pytest.raises(ssl.SSLCertVerificationError, match="certificate has expired"):
        served.ask(context=ssl.create_default_context(cadata=issuer.cert_pem.bytes().decode()))
    assert f"the certificate {file} has run out" in [row.getMessage() for row in caplog.records]


MISTAKES = CASES["mistakes"]


def given(files, settings):
    return {name: files.get(value, value) if isinstance(value, str) else value for name, value in settings.items()}


@pytest.mark.parametrize(("settings", "sentence"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_told_at_the_start(files, settings, sentence):
    with pytest.raises(ValueError, match=r".") as refused:
        create_app(Settings(tls=True, **given(files, settings)))

    assert str(refused.value).startswith(sentence.format(**files))


@pytest.mark.parametrize(
    "settings", [{"tls_port": 0}, {"tls_name": ("a.test",)}, {"tls_ca_file": "missing"}, {"tls_cert": "both"}]
)
def test_what_says_something_about_tls_is_for_a_server_that_speaks_it(files, settings):
    flag = "--" + next(iter(settings)).replace("_", "-")
    with pytest.raises(ValueError, match=f"{flag} is for a server that speaks TLS: give --tls, too"):
        create_app(Settings(**given(files, settings)))

    assert not files["missing"].exists()


def test_a_command_tells_a_mistake_in_a_sentence(files):
    command = [sys.executable, "-m", "mockserver", "serve", "--port", "0", "--tls", "--tls-cert", str(files["missing"])]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert found.returncode == 2
    assert found.stderr.startswith(f"Error: cannot read --tls-cert {files['missing']}")
