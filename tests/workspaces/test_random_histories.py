"""Whatever has happened in a workspace, its state can be kept, written, loaded and come back to."""

from __future__ import annotations

import pytest
import yaml
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from state_comparison import without_ids_of_requests

SEEDS = st.integers(0, 2**16)


class Snapshots(RuleBasedStateMachine):
    """Anything may happen between a snapshot and its restore, other snapshots and restores included."""

    kept = Bundle("kept")

    def __init__(self, workspace, random_user):
        super().__init__()
        self.workspace, self.random_user = workspace, random_user
        self.moments = {}
        self.entries = 0

    @initialize()
    def begin(self):
        self.workspace.post("/_mock/reset")
        self.workspace.delete("/_mock/snapshots")

    @rule(seed=SEEDS, steps=st.integers(1, 6))
    def play(self, seed, steps):
        self.random_user(self.workspace, seed).play(steps)

    @rule(target=kept)
    def keep(self):
        name = self.workspace.post("/_mock/snapshots", {}).json["name"]
        self.moments[name] = (self.workspace.state, self.mails(), self.windowless_clock())
        return name

    @rule(name=kept)
    def restore(self, name):
        assert self.workspace.post(f"/_mock/snapshots/{name}/restore").status_code == 200
        assert (self.workspace.state, self.mails(), self.windowless_clock()) == self.moments[name]

    def mails(self):
        return self.workspace.get("/_mock/mailbox?limit=1000").json

    def windowless_clock(self):
        return self.workspace.get("/_mock/clock").json["now"]

    @invariant()
    def the_journal_only_grows(self):
        """A restore takes no entry back, and no id comes twice."""
        ids = [row["id"] for row in self.workspace.journal]
        assert len(set(ids)) == len(ids) >= self.entries
        self.entries = len(ids)


@pytest.mark.hypothesis
def test_a_restore_gives_the_state_at_the_snapshot(workspace, random_user):
    run_state_machine_as_test(
        lambda: Snapshots(workspace, random_user), settings=settings(examples(40), stateful_step_count=14)
    )


@pytest.mark.hypothesis
@pytest.mark.parametrize("form", ["json", "yaml"])
def test_dumped_state_loads_equal_and_continues_alike(make_api, default_workspace, random_user, story, form):
    first, second = default_workspace(make_api(story)), default_workspace(make_api("empty"))

    @examples(25)
    @given(before=SEEDS, after=SEEDS, steps=st.integers(0, 40))
    def check(before, after, steps):
        first.post("/_mock/reset")
        random_user(first, before).play(steps)
        written = first.state

        if form == "json":
            answer = second.put("/_mock/state", written)
        else:
            text = first.get("/_mock/state", headers={"Accept": "application/yaml"}).data
            assert yaml.safe_load(text) == written
            answer = second.put("/_mock/state", data=text, content_type="application/yaml")

        assert answer.status_code == 200, answer.json
        assert second.state == written
        for workspace in (first, second):
            workspace.delete("/_mock/mailbox")
            random_user(workspace, after).play(12)
        assert without_ids_of_requests(second.state) == without_ids_of_requests(first.state)

    check()
