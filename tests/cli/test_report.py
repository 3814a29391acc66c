"""`mockserver report` on a running server."""

import json

import pytest
import requests
from cli_runner import invoke

pytestmark = pytest.mark.root("onboarding")


def delete_unknown_sender(root):
    answer = requests.delete(f"{root}/v3/senders/9", headers={"api-key": "any"}, timeout=10)
    return answer.headers["sib-request-id"]


def run(root, *words):
    return invoke(("report", *words), {"MOCKSERVER_URL": root})


def test_report_is_printed_as_the_server_writes_it(root):
    delete_unknown_sender(root)

    ended = run(root)

    assert (ended.exit_code, ended.stdout) == (0, requests.get(f"{root}/_mock/report?format=text", timeout=10).text)
    assert "refused request: DELETE /v3/senders/9 404: " in ended.stdout


def test_report_since_a_request_counts_only_later_requests(root):
    before = delete_unknown_sender(root)
    delete_unknown_sender(root)

    ended = run(root, "--since", before, "--json")

    assert json.loads(ended.stdout)["summary"] == "1 request (1 refused)"


def test_report_since_an_unknown_request_ends_with_2_and_its_id(root):
    ended = run(root, "--since", "nowhere")

    assert ended.exit_code == 2
    assert "unknown request 'nowhere'" in ended.stderr
