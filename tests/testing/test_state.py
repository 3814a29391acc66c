import pytest
import yaml

from mockserver import MockServerError


def test_the_state_as_yaml_is_a_file_to_load(server, workspace, tmp_path):
    path = tmp_path / "kept.yaml"
    path.write_text(workspace.state.yaml())

    assert yaml.safe_load(path.read_text())["seed"] == 7
    with server.workspace() as other:
        other.state.put(path)
        assert [sender.key for sender in other.machines.instances("sender")] == [1, 2]


def test_a_snapshot_is_restored_and_deleted_at_the_end_of_its_block_also_when_it_fails(workspace, ask):
    def fail(snapshot):
        with snapshot:
            ask(workspace, "DELETE", "/senders/1")
            workspace.clock.advance(minutes=20)
            workspace.faults.add("server_error")
            raise ZeroDivisionError

    snapshot = workspace.snapshot("before")
    assert (snapshot.name, repr(snapshot)) == ("before", "Snapshot('before')")
    with pytest.raises(ZeroDivisionError):
        fail(snapshot)

    assert [sender.key for sender in workspace.machines.instances("sender")] == [1, 2]
    assert (workspace.clock.now.hour, workspace.faults.all()) == (9, [])
    with pytest.raises(MockServerError, match="unknown snapshot 'before'"):
        snapshot.restore()


def test_seeding_adds_to_the_workspace_unless_it_is_there_already(workspace):
    workspace.seed({"senders": [{"id": 7, "name": "Seven", "email": "seven@acme.test"}]})

    assert [sender.key for sender in workspace.machines.instances("sender")] == [1, 2, 7]
    with pytest.raises(MockServerError, match=r"^409: "):
        workspace.seed({"senders": [{"id": 1, "name": "One", "email": "one@acme.test"}]})
