"""A store holds what a dictionary of dictionaries would, whatever is written to it in whatever order."""

import pytest
from examples import examples
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from mockserver.storage.engine import ANY_VERSION, Batch, Changes, Row

NAMES = st.sampled_from(["acme", "beta", "c.d-e_f"])
FIELDS = st.sampled_from(["p:state", "p:account/1/module:Type", "e:journal:9", "e:journal:10", "k:key", "k:k*?[", "k:"])
CHANGES = st.builds(
    Changes, st.dictionaries(FIELDS, st.binary(max_size=20), max_size=3), st.lists(FIELDS, max_size=2)
).map(lambda changes: changes._replace(gone=[name for name in changes.gone if name not in changes.fields]))
ROWS = st.builds(
    Row, NAMES, CHANGES, st.just(ANY_VERSION), st.none() | st.integers(0, 10**12).map(lambda ms: ms / 1000)
)
BATCHES = st.builds(
    Batch,
    st.dictionaries(NAMES, st.just(ANY_VERSION), max_size=1),
    st.lists(ROWS, max_size=3, unique_by=lambda row: row.name),
    st.dictionaries(st.text("ab", max_size=2), st.integers(1, 9), max_size=2),
)


class Model:
    """What a store should hold."""

    def __init__(self):
        self.fields, self.due_at, self.counts = {}, {}, {}

    def write(self, batch):
        for name in batch.removed:
            self.fields.pop(name, None)
        for name, changes, _, due_at in batch.rows:
            fields = self.fields.pop(name, {}) | dict(changes.fields)
            self.fields[name] = {field: content for field, content in fields.items() if field not in changes.gone}
            self.due_at[name] = due_at
        for name, number in batch.counts.items():
            self.counts[name] = self.counts.get(name, 0) + number

    def outlines(self):
        keys = {name: sorted(field[2:] for field in held if field[:2] == "k:") for name, held in self.fields.items()}
        return [(name, keys[name], self.due_at[name]) for name in self.fields]


@pytest.fixture
def machine(opened):
    class Store(RuleBasedStateMachine):
        def __init__(self):
            super().__init__()
            self.engine, self.model = opened(), Model()
            # All examples share a store: to make one takes longer than an example.
            self.engine.write(Batch(removed={row.name: ANY_VERSION for row in self.engine.outlines()}))
            self.engine.clear_counts()

        @rule(batch=BATCHES)
        def write(self, batch):
            self.engine.write(batch)
            self.model.write(batch)

        @rule()
        def open_again(self):
            self.engine = opened()

        @invariant()
        def it_holds_what_the_model_holds(self):
            assert [(row.name, list(row.keys), row.due_at) for row in self.engine.outlines()] == self.model.outlines()
            assert self.engine.counts() == self.model.counts
            for field in ("p:state", "k:key"):
                held = {name: fields[field] for name, fields in self.model.fields.items() if field in fields}
                assert self.engine.field(self.model.fields, field) == held
            for name, fields in self.model.fields.items():
                assert self.engine.read(name).fields == fields

        def teardown(self):
            self.engine.close()

    return Store


def test_a_store_holds_what_a_dictionary_would(machine):
    run_state_machine_as_test(machine, settings=settings(examples(40), stateful_step_count=15))
