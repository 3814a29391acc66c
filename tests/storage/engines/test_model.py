"""A store holds what a dictionary of dictionaries would, whatever is written to it in whatever order."""

from __future__ import annotations

import pytest
from examples import examples
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from mockserver.core.workspaces.keeping import Outline
from mockserver.storage.batch import Batch
from mockserver.storage.records.changes import Changes, LogChange

NAMES = st.sampled_from(["acme", "beta", "c.d-e_f"])
PARTS = st.sampled_from(["state", "clock", "coverage"])
CONTENTS = st.binary(max_size=20)
KEYS = st.lists(st.text(max_size=5), max_size=3)
OUTLINES = st.builds(Outline, NAMES, KEYS, st.none() | st.floats(0, 1e10), st.booleans(), st.booleans())


@st.composite
def log_changes(draw):
    first = draw(st.integers(0, 8))
    positions = draw(st.lists(st.integers(first, 12), unique=True).map(sorted))
    entries = [(position, draw(CONTENTS)) for position in positions]
    return LogChange(draw(st.sampled_from(["journal", "fired"])), first, entries, draw(st.booleans()))


CHANGES = st.builds(
    Changes,
    st.dictionaries(PARTS, CONTENTS, max_size=3),
    st.lists(PARTS, max_size=1),
    st.lists(log_changes(), max_size=2, unique_by=lambda log: log.name),
).map(lambda changes: changes._replace(gone=[name for name in changes.gone if name not in changes.parts]))
BATCHES = st.builds(
    Batch,
    st.sets(NAMES, max_size=1),
    st.lists(st.tuples(OUTLINES, CHANGES), max_size=3),
    st.dictionaries(st.text("ab", max_size=2), st.none() | CONTENTS, max_size=2),
    st.just({}),  # counts are not of every engine
)


class Model:
    """What a store should hold."""

    def __init__(self):
        self.outlines, self.parts, self.logs, self.values = {}, {}, {}, {}

    def write(self, batch):
        for name in batch.removed:
            for held in (self.outlines, self.parts, self.logs):
                held.pop(name, None)
        for outline, changes in batch.workspaces:
            self.outlines.pop(outline.name, None)
            self.outlines[outline.name] = outline
            parts = self.parts.setdefault(outline.name, {}) | changes.parts
            self.parts[outline.name] = {name: part for name, part in parts.items() if name not in changes.gone}
            for log in changes.logs:
                self._write_log(self.logs.setdefault(outline.name, {}), log)
        values = self.values | batch.values
        self.values = {name: value for name, value in values.items() if value is not None}

    def _write_log(self, logs, log):
        entries = {} if log.anew else dict(logs.get(log.name, ()))
        kept = sorted((entries | dict(log.entries)).items())
        logs[log.name] = [entry for entry in kept if entry[0] >= log.first]


@pytest.fixture
def machine(opened):
    class Store(RuleBasedStateMachine):
        def __init__(self):
            super().__init__()
            self.engine, self.model = opened(), Model()
            # All examples share a store: to make one takes longer than an example.
            names = [outline.name for outline in self.engine.outlines()]
            self.engine.write(Batch(removed=names, values=dict.fromkeys(self.engine.values())))

        @rule(batch=BATCHES)
        def write(self, batch):
            self.engine.write(batch)
            self.model.write(batch)

        @rule()
        def open_again(self):
            self.engine.close()
            self.engine = opened()

        @precondition(lambda self: hasattr(self.engine, "vacuum"))
        @rule()
        def vacuum(self):
            self.engine.vacuum()

        @invariant()
        def it_holds_what_the_model_holds(self):
            assert self.engine.outlines() == list(self.model.outlines.values())
            assert self.engine.values() == self.model.values
            assert self.engine.parts(self.model.outlines, "state") == {
                name: parts["state"] for name, parts in self.model.parts.items() if "state" in parts
            }
            for name in self.model.outlines:
                held = self.engine.read(name)
                assert held.parts == self.model.parts[name]
                assert held.logs == {log: rows for log, rows in self.model.logs.get(name, {}).items() if rows}

        def teardown(self):
            self.engine.close()

    return Store


def test_a_store_holds_what_a_dictionary_would(machine):
    run_state_machine_as_test(machine, settings=settings(examples(40), stateful_step_count=15))
