"""Large bodies are sent, and bodies that are too large are refused soon."""

import json

import pytest

LARGE = {
    "a file": {"attachment": [{"name": "a.zip", "content": "QUFB" * (2 * 1024 * 1024)}]},
    "a content": {"htmlContent": "<p>" + "x " * 2_000_000},
    "a parameter": {"params": {"a": ["x"] * 25_000}},
    "levels": {"params": {"a": json.loads("[" * 50 + "]" * 50)}},
    "a header": {"headers": {"X-A": "x" * 8192}},
    "tags": {"tags": ["t" * 1000] * 1000},
    "a subject": {"subject": "s" * 500_000},
    "names": {"to": [{"email": "a@b.test", "name": "n" * 70}] * 99},
}


@pytest.mark.parametrize("members", LARGE.values(), ids=LARGE)
def test_a_large_member_is_taken(members, sending):
    answer = sending().send(**members)

    assert answer.status_code == 201, answer.text


VERSIONS = [{"to": [{"email": f"user{number}@example.test"}]} for number in range(2_000)]
TOO_MUCH = {
    "levels": ({"params": {"a": json.loads("[" * 85 + "]" * 85)}}, 400),
    "recipients": ({"to": [{"email": "a@b.test"}] * 200_000}, 400),
    "versions": ({"messageVersions": [{}] * 300_000}, 400),
    "headers": ({"headers": {f"X-{number}": "a" for number in range(100_000)}}, 400),
    "tags": ({"tags": ["a"] * 1_000_000}, 400),
    "a content that grows": ({"htmlContent": "{{params.a}}" * 100_000, "params": {"a": "x" * 1_000}}, 413),
    "a content of many": ({"htmlContent": "x" * 200_000, "messageVersions": VERSIONS}, 413),
}


@pytest.mark.slow
@pytest.mark.parametrize(("members", "status"), TOO_MUCH.values(), ids=TOO_MUCH)
def test_body_beyond_a_limit_is_refused_soon(members, status, sending):
    here = sending(account={"plan": [{"type": "free", "credits": -1}]})
    answer = here.send(**members)

    assert (answer.status_code, set(answer.json)) == (status, {"code", "message"}), here.reason()
    assert here.mails() == []
