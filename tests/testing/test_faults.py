import pytest

from mockserver import MockServerError


def test_a_fault_applies_as_often_as_times_says(workspace, ask):
    fault = workspace.faults.add("otp_expired", times=1)

    first, second = (ask(workspace, "PUT", "/senders/2/validate", json={"otp": 123456}) for _ in range(2))

    assert (first.status, first.json["code"], first.headers["X-Mock-Fault"]) == (400, "OTP code has expired", fault.id)
    assert second.status == 204
    assert (fault.hits, fault.active) == (1, False)


def test_handle_removes_a_fault_rule(workspace, ask):
    fault = workspace.faults.add("server_error")
    assert ask(workspace, "GET", "/senders").status == 500

    fault.remove()

    assert ask(workspace, "GET", "/senders").status == 200
    for gone in (fault.remove, lambda: fault.hits, lambda: fault.active):
        with pytest.raises(MockServerError, match="unknown fault"):
            gone()


def test_faults_are_listed_in_their_order_and_removed_together(workspace):
    first, second = workspace.faults.add("server_error"), workspace.faults.add("unavailable", times=3)

    listed = [(fault.id, fault.fault) for fault in workspace.faults.all()]
    assert listed == [(first.id, "server_error"), (second.id, "unavailable")]
    assert repr(first) == f"Fault('server_error', id={first.id!r})"
    latency = workspace.faults.add("latency", ms=1, after=2, probability=0.5, ttl_s=60)
    assert latency.rule.items() >= {"ms": 1, "after": 2, "probability": 0.5, "ttl_s": 60}.items()
    workspace.faults.clear()
    assert workspace.faults.all() == []
