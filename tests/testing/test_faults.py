import pytest

from mockserver import MockServerError


def test_a_fault_hits_as_often_as_it_is_told(world, ask):
    fault = world.faults.add("otp_expired", times=1)

    first, second = (ask(world, "PUT", "/senders/2/validate", json={"otp": 123456}) for _ in range(2))

    assert (first.status, first.json["code"], first.headers["X-Mock-Fault"]) == (400, "OTP code has expired", fault.id)
    assert second.status == 204
    assert (fault.hits, fault.active) == (1, False)


def test_a_fault_is_for_the_requests_that_match(world, ask):
    fault = world.faults.add(
        "error", code="document_not_found", match={"operation": "deleteSender", "path": {"senderId": 2}}
    )

    assert ask(world, "DELETE", "/senders/2").status == 404
    assert ask(world, "DELETE", "/senders/1").status == 204
    assert (fault.hits, fault.active, fault.fault) == (1, True, "error")


def test_a_fault_takes_what_its_kind_takes(world):
    fault = world.faults.add("latency", ms=1, after=2, probability=0.5, ttl_s=60)

    assert fault.rule.items() >= {"ms": 1, "after": 2, "probability": 0.5, "ttl_s": 60}.items()


def test_a_fault_is_removed(world, ask):
    fault = world.faults.add("server_error")
    assert ask(world, "GET", "/senders").status == 500

    fault.remove()

    assert ask(world, "GET", "/senders").status == 200
    for gone in (fault.remove, lambda: fault.hits, lambda: fault.active):
        with pytest.raises(MockServerError, match="there is no fault"):
            gone()


def test_faults_are_listed_in_their_order_and_removed_together(world):
    first, second = world.faults.add("server_error"), world.faults.add("unavailable", times=3)

    assert [(fault.id, fault.fault) for fault in world.faults.all()] == [
        (first.id, "server_error"),
        (second.id, "unavailable"),
    ]
    assert repr(first) == f"Fault('server_error', id={first.id!r})"

    world.faults.clear()
    assert world.faults.all() == []


def test_a_fault_that_could_never_apply_is_refused_with_what_could(world):
    with pytest.raises(MockServerError) as refusal:
        world.faults.add("otp_expired", match={"operation": "createSender"})

    assert [error["path"] for error in refusal.value.errors] == ["/match"]
    assert "createSender never gives OTP code has expired; it gives missing_parameter, " in str(refusal.value)


def test_an_unknown_fault_is_refused(world):
    with pytest.raises(MockServerError, match="otp_expired"):
        world.faults.add("otp_expird")
