"""`mockserver stubs record` makes a scenario of what a server has forwarded."""

import pytest
import requests
import yaml

PEER = {
    "stubs": [
        {"method": "GET", "path": "/v3/companies", "answers": [
            {"json": {"contacts": [{"email": "ada@acme.com", "text": "{{ '{{' }} params.name }}"}], "count": 1}},
            {"json": {"contacts": [], "count": 0}},
        ]},
        {"method": "GET", "path": "/v3/companies/{identifier}", "answer": {"json": {"email": "ada@acme.com"}}},
        {"method": "POST", "path": "/v3/companies", "answer": {"status": 201, "json": {"id": 7, "apiKey": "hidden"}}},
    ]
}  # fmt: skip


def call(root, method, path):
    return requests.request(method, root + path, headers={"api-key": "any"}, timeout=10)


@pytest.fixture
def forwarding(serve):
    """A server that has forwarded some calls; its root address."""
    root = serve(beyond="forward", forward_to=serve(PEER), forward_writes=True)
    for method, path in [("GET", "/v3/companies"), ("GET", "/v3/companies"), ("GET", "/v3/companies/ada@acme.com"),
                         ("POST", "/v3/companies"), ("GET", "/v3/senders")]:  # fmt: skip
        assert call(root, method, path).status_code < 300
    return root


def test_a_scenario_is_made_that_answers_as_the_peer_did(run, forwarding, serve, tmp_path):
    out = tmp_path / "recorded.yaml"

    told = run("stubs", "record", "--url", forwarding, "--output", str(out))

    assert told.exit_code == 0, told.output
    assert told.stdout == ""
    assert told.stderr == f"3 stubs of 4 exchanges in {out}\nreplaced: 1 e-mail address, 1 host\n"
    assert run("scenarios", "check", str(out)).exit_code == 0
    root = serve(yaml.safe_load(out.read_text()))
    first = call(root, "GET", "/v3/companies").json()
    assert first == {"contacts": [{"email": "user1@host1.test", "text": "{{ params.name }}"}], "count": 1}
    assert call(root, "GET", "/v3/companies").json() == {"contacts": [], "count": 0}
    assert call(root, "GET", "/v3/companies/ada@acme.com").json() == {"email": "ada@acme.com"}
    created = call(root, "POST", "/v3/companies")
    assert (created.status_code, created.json()) == (201, {"id": 7, "apiKey": "***"})


def test_without_a_file_it_is_printed_also_when_it_is_asked_for_in_parts(run, forwarding, monkeypatch):
    told = run("stubs", "record", "--url", forwarding).stdout

    assert yaml.safe_load(told)["stubs"][0]["path"].startswith("/v3/companies")
    assert "acme.com" not in told
    monkeypatch.setattr("mockserver.cli.stubs._AT_ONCE", 2)
    assert run("stubs", "record", "--url", forwarding).stdout == told


def test_record_without_forwarded_calls_writes_no_file(run, serve, tmp_path):
    out = tmp_path / "recorded.yaml"

    told = run("stubs", "record", "--url", serve(), "--output", str(out))

    assert (told.exit_code, told.stderr) == (1, "default has forwarded nothing of which a stub could be made\n")
    assert not out.exists()


def test_record_lists_the_omitted_answers(run, forwarding):
    requests.get(f"{forwarding}/v3/companies", headers={"api-key": "any", "X-Mock-Fault": "malformed_body"}, timeout=10)

    told = run("stubs", "record", "--url", forwarding)

    assert "left out: GET /v3/companies: a fault has changed its answer\n" in told.stderr
    assert "3 stubs of 4 exchanges\n" in told.stderr


def test_what_the_journal_holds_no_more_is_told(run, serve):
    root = serve(beyond="forward", forward_to=serve(PEER), journal_limit=2)
    for _ in range(5):
        call(root, "GET", "/v3/companies")

    assert "3 older requests not in the journal any more\n" in run("stubs", "record", "--url", root).stderr
