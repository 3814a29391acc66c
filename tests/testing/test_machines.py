import pytest

from mockserver import MockServerError


def test_an_instance_shows_its_state_its_events_and_its_secrets(workspace):
    assert [sender.key for sender in workspace.machines.instances("sender")] == [1, 2]
    assert [domain.key for domain in workspace.machines.instances("domain")] == ["acme.test"]
    sender = workspace.machines.get("sender", 2)

    assert (sender.machine, sender.key, sender.account, sender.state) == ("sender", 2, "acme", "awaiting_verification")
    assert "expire_otp" in sender.allowed
    assert sender.secrets["otp"] == 123456


def test_an_event_of_an_instance_is_fired(workspace, ask):
    assert workspace.machines.fire("sender", 2, "expire_otp").state == "awaiting_verification"

    answer = ask(workspace, "PUT", "/senders/2/validate", json={"otp": 123456})
    assert (answer.status, answer.json["code"]) == (400, "OTP code has expired")


def test_an_unknown_machine_or_instance_is_refused(workspace):
    for machine, key in [("sender", 99), ("engine", 1), ("sender", "../../health"), ("domain", "é?#")]:
        with pytest.raises(MockServerError, match=r"^404: "):
            workspace.machines.get(machine, key)
