"""What it takes to write a workspace down and to read it again, beside what pickle takes for its state alone."""

import pickle
from time import perf_counter

import pytest
from stored_workspace import StoredWorkspace

from mockserver.storage.records import Written

pytestmark = pytest.mark.benchmark

#: How many senders are added: a workspace of some kilobytes, and one of some megabytes.
SENDERS = {"small": 100, "large": 30_000}
EXCHANGES = 1_000
#: The least of so many times is taken: what else the machine does only adds to it.
ROUNDS = 10


def milliseconds(call):
    """The least time that a call takes."""

    def once():
        begun = perf_counter()
        call()
        return (perf_counter() - begun) * 1000

    return min(once() for _ in range(ROUNDS))


@pytest.mark.parametrize("size", SENDERS)
def test_a_state_is_written_and_read_faster_than_by_pickle(size, make_api, show):
    workspace = make_api({"generate": {"senders": SENDERS[size]}}).workspace
    held, written, pickled = StoredWorkspace.of(workspace), Written(workspace), pickle.dumps(workspace.state, 5)
    written.changes()
    whole, same = milliseconds(lambda: Written(workspace).changes()), milliseconds(written.changes)
    read = milliseconds(held.load)
    by_pickle = milliseconds(lambda: pickle.dumps(workspace.state, 5)), milliseconds(lambda: pickle.loads(pickled))

    show(f"{size}: {sum(map(len, held.fields.values())):,} bytes, {len(pickled):,} by pickle")
    show(f"written in {whole:.2f} ms, with no changes in {same:.2f}, by pickle in {by_pickle[0]:.2f}")
    show(f"read in {read:.2f} ms, by pickle in {by_pickle[1]:.2f}")
    assert whole < by_pickle[0]
    assert size == "small" or read < by_pickle[1]


def test_a_full_journal_is_read_in_milliseconds(make_api, show):
    api = make_api()
    for number in range(EXCHANGES):
        api.post("/v3/senders", json={"name": "New", "email": f"a{number}@acme.test", "padding": "." * 2_000})
    held = StoredWorkspace.of(api.workspace)

    entries = [content for name, content in held.fields.items() if name.startswith("e:")]
    read = milliseconds(held.load)
    show(f"{len(entries):,} entries of {sum(map(len, entries)):,} bytes are read in {read:.1f} ms")
    assert read < 100  # some 15 on an idle machine
