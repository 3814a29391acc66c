import pytest
import yaml

from mockserver import MockServerError


def test_the_state_is_a_scenario_that_makes_the_world_again(server, world, ask):
    ask(world, "DELETE", "/senders/1")

    with server.workspace(world.state.get()) as twin:
        assert ask(twin, "GET", "/senders").json == ask(world, "GET", "/senders").json


def test_the_state_is_put_back(world, ask):
    kept = world.state.get()
    ask(world, "DELETE", "/senders/1")

    world.state.put(kept)

    assert [sender.key for sender in world.machines.instances("sender")] == [1, 2]
    assert world.requests.latest().operation == "deleteSender"


def test_the_state_as_yaml_is_a_file_to_load(server, world, tmp_path):
    path = tmp_path / "kept.yaml"
    path.write_text(world.state.yaml())

    assert yaml.safe_load(path.read_text())["seed"] == 7
    with server.workspace() as other:
        other.state.put(path)
        assert [sender.key for sender in other.machines.instances("sender")] == [1, 2]


def test_a_state_that_is_none_changes_nothing_and_names_every_mistake(world):
    before = world.state.get()

    with pytest.raises(MockServerError) as refusal:
        world.state.put({"accounts": [{"name": "acme", "senders": [{"id": "x"}, {"state": "lost"}]}]})

    paths = [error["path"] for error in refusal.value.errors]
    assert "/accounts/0/senders/0/id" in paths
    assert "/accounts/0/senders/1/state" in paths
    assert world.state.get() == before


def test_a_snapshot_is_a_moment_to_return_to(world, ask):
    snapshot = world.snapshot()
    ask(world, "DELETE", "/senders/1")
    world.clock.advance(minutes=20)
    world.faults.add("server_error")

    snapshot.restore()

    assert [sender.key for sender in world.machines.instances("sender")] == [1, 2]
    assert world.clock.now.hour == 9
    assert world.faults.all() == []


def test_a_snapshot_has_a_name_and_is_deleted(world):
    snapshot = world.snapshot("before")
    assert (snapshot.name, repr(snapshot)) == ("before", "Snapshot('before')")

    snapshot.delete()

    with pytest.raises(MockServerError, match="there is no snapshot 'before'"):
        snapshot.restore()


def test_seeding_adds_to_the_world(world):
    world.seed({"senders": [{"id": 7, "name": "Seven", "email": "seven@acme.test"}]})

    assert [sender.key for sender in world.machines.instances("sender")] == [1, 2, 7]


def test_seeding_what_is_there_already_is_refused(world):
    with pytest.raises(MockServerError) as refusal:
        world.seed({"senders": [{"id": 1, "name": "One", "email": "one@acme.test"}]})

    assert refusal.value.status == 409


def test_seeding_goes_to_the_account_that_is_named(server):
    with server.workspace("corporate-v2") as world:
        name = world.accounts[-1].name

        world.seed({"senders": [{"id": 7001, "name": "Seven", "email": "seven@acme.test"}]}, account=name)

        assert world.machines.get("sender", 7001).account == name
