"""What stands above other rows looks like a copy of them, whatever happens to it, and they stay as they are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mockserver.core.state.tables import Layer, Tally, shown

KEYS = st.integers(0, 5)
ACTS = st.lists(st.tuples(st.sampled_from(("add", "remove", "change", "look")), KEYS), max_size=20)


@given(st.lists(KEYS), ACTS)
def test_layered_table_behaves_like_a_copy(keys, acts):
    below = {key: [key] for key in keys}
    whole, tally = {key: [key] for key in keys}, Tally(rows=len(below))
    layer = Layer(below, tally)

    for number, (act, key) in enumerate(acts):
        for rows in (whole, layer):
            if act == "add":
                rows[key] = [number]
            elif act == "remove":
                rows.pop(key, None)
            elif act == "look":
                assert (next(iter(rows), None) is None) == (len(rows) == 0)
            elif key in rows:
                rows[key].append(number)

    assert dict(shown(layer)) == whole
    assert [key for key, _ in shown(layer)] == list(layer)
    assert dict(layer) == whole
    assert len(layer) == tally.rows == len(whole)
    assert [key in layer for key in range(6)] == [key in whole for key in range(6)]
    assert below == {key: [key] for key in keys}
