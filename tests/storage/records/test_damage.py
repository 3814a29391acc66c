"""Bytes that are no workspace are refused with a sentence, wherever they are damaged."""

import json

import pytest
from stored_workspace import StoredWorkspace

from mockserver.core.time.clock import Timer
from mockserver.storage import forms
from mockserver.storage.packing import SEAL, Rows, UnreadableError, encode, seal, unpack, unseal

#: A small workspace with something of all that is written.
SCENARIO = {
    "senders": [{"name": "News", "email": "news@acme.test"}],
    "seed": 7,
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
}


@pytest.fixture
def held(make_api):
    """What is held of a small workspace."""
    api = make_api(SCENARIO)
    api.get("/v3/senders")
    api.post("/_mock/receiver/shop", json={})
    assert api.post("/_mock/snapshots", json={"name": "now"}).status_code == 201
    assert api.post("/_mock/faults", json={"fault": "hang", "match": {"path": "/v3/x*"}}).status_code == 201
    return StoredWorkspace.of(api.workspace)


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1 :]


def test_flipped_and_missing_bytes_are_detected_wherever_they_are(held):
    for name, whole in held.fields.items():
        cut = [whole[:length] for length in (0, 1, SEAL, len(whole) // 2, len(whole) - 1)]
        for damaged in (*cut, *(flipped(whole, at) for at in range(0, len(whole), 3))):
            held.fields[name] = damaged
            with pytest.raises(UnreadableError, match="damaged"):
                held.load()
        held.fields[name] = whole


def test_bytes_that_somebody_else_has_written_are_read_or_refused(held):
    read = refused = 0
    for name, whole in held.fields.items():
        for at in range(SEAL, len(whole), 3):
            held.fields[name] = seal(flipped(whole, at)[SEAL:])
            try:
                held.load()
                read += 1
            except UnreadableError:
                refused += 1
        held.fields[name] = whole
    assert min(read, refused) > 10


def test_a_missing_part_or_entry_is_refused(held):
    for name in list(held.fields):
        field = held.fields.pop(name)
        if name != "p:coverage" and not name.startswith("k:"):
            with pytest.raises(UnreadableError, match=name if name.startswith("p:") else "entries"):
                held.load()
        held.fields[name] = field


def test_a_part_of_another_version_than_its_large_rows_is_refused(make_api):
    api = make_api()
    held = StoredWorkspace.of(api.workspace)
    name = next(name for name in held.fields if name.endswith(":Domain"))
    api.post("/v3/senders/domains", json={"name": "new.test"})

    held.fields[name] = StoredWorkspace.of(api.workspace).fields[name]

    with pytest.raises(UnreadableError, match="another version"):
        held.load()


@pytest.mark.parametrize("name", ["e:requests", "e:requests:one", "e:nothing:0", "e:requests:0:1"])
def test_fields_with_names_of_no_entry_are_refused(name, held):
    held.fields[name] = held.fields["e:requests:0"]

    with pytest.raises(UnreadableError, match="name"):
        held.load()


def test_names_that_no_workspace_can_have_are_refused(held):
    for name in ("", "a/b", "..", "a" * 65):
        with pytest.raises(UnreadableError, match="name"):
            held.load(name)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("p:timers", [Timer(moment, "sender", key, "expire", 1) for moment in (None, 1) for key in (1, "a")]),
        ("p:coverage", {"answers": {("getSenders", 200): "many"}}),
        ("p:origin", ["empty", 7]),
        ("k:key", (1, "yes")),
        ("k:key", 1),
    ],
)
def test_values_of_a_wrong_type_are_refused(field, value, held):
    held.fields[field] = encode(value)

    with pytest.raises(UnreadableError):
        held.load()


def test_timers_that_cannot_be_compared_are_refused(held):
    moment = next(iter(unpack(unseal(held.fields["p:state"]), list)[0]))  # of the clock
    held.fields["p:timers"] = encode([Timer(moment, "sender", key, "expire", 1) for key in (1, "a")])

    with pytest.raises(UnreadableError, match="fit together"):
        held.load()


@pytest.mark.parametrize(
    "name",
    [
        "os:system", "mockserver.__main__:main", "mockserver.core.nothing:Sender", "", ":", "..:x",
        "mockserver.resources.senders.model:AWAITING", "mockserver.resources.senders.model:find",
        "mockserver.core.workspaces.store:Store",
    ],
)  # fmt: skip
def test_rows_are_of_types_of_the_package_only(name, held):
    account = next(part for part in held.fields if part.startswith("p:account/"))
    members, rows = unpack(unseal(held.fields[account]), tuple[dict, Rows])
    rows.tables[name] = rows.tables.pop("mockserver.resources.senders.model:Sender")
    held.fields[account] = encode((members, rows))

    with pytest.raises(UnreadableError):
        held.load()


def test_names_that_no_count_has_are_refused():
    for name in ("", "1", "[]", '["nothing",1]', '["answers",[]]'):
        with pytest.raises(UnreadableError, match="name of a count"):
            forms.coverage_of({name: 1})


def test_bytes_that_hold_no_value_are_refused():
    for value in [
        b"\xc7\xff\x63" + b"\0" * 255, b"\xdf\xff\xff\xff\xff", b"\xc1", b"\xc1{", b"\xc1\xff",
        b"\xc1" + b"[" * 100_000,
        *(b"\xc1" + json.dumps({"": tag}).encode() for tag in (
            1, [], ["nothing", 1], [[], 1], ["bytes", "x"], ["length", [10**9, 0, 0]], ["dict", [[[1], 2]]],
            ["int", "x"], ["date", 1], ["tuple", 1],
        )),
    ]:  # fmt: skip
        with pytest.raises(UnreadableError):
            unpack(value, dict)
