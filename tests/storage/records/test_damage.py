"""Bytes that are no workspace are refused with a sentence, wherever they are damaged."""

from contextlib import suppress

import pytest
from held_workspace import HeldWorkspace

from mockserver.storage.records.packing import SEAL, pack, pack_exactly, seal, unpack
from mockserver.storage.records.reading import coverage
from mockserver.storage.records.unreadable import UnreadableError
from mockserver.storage.records.written import Written

#: A small workspace with something of all that is written.
SCENARIO = {"senders": [{"name": "News", "email": "news@acme.test"}], "seed": 7}


@pytest.fixture
def held(make_api):
    """What is held of a small workspace."""
    api = make_api(SCENARIO)
    api.get("/v3/senders")
    api.post("/_mock/receiver/shop", json={})
    assert api.post("/_mock/snapshots", json={"name": "now"}).status_code == 201
    assert api.post("/_mock/faults", json={"fault": "hang", "match": {"path": "/v3/x*"}}).status_code == 201
    found = HeldWorkspace()
    found.apply(Written(api.workspace).changes())
    return found


def places(held):
    """Each mapping with a name in it, under which bytes are held."""
    return [(where, name) for where in (held.parts, *held.logs.values()) for name in where]


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1 :]


def test_a_flipped_byte_is_found_out_wherever_it_is(held):
    for where, name in places(held):
        whole = where[name]
        for at in range(0, len(whole), 3):
            where[name] = flipped(whole, at)
            with pytest.raises(UnreadableError, match="damaged"):
                held.load()
        where[name] = whole


def test_bytes_that_end_too_early_are_found_out(held):
    for where, name in places(held):
        whole = where[name]
        for length in (0, 1, SEAL, len(whole) // 2, len(whole) - 1):
            where[name] = whole[:length]
            if name == "coverage" and not length:
                continue  # nothing was counted yet
            with pytest.raises(UnreadableError):
                held.load()
        where[name] = whole


def test_bytes_that_somebody_else_has_written_are_read_or_refused(held):
    read = refused = 0
    for where, name in places(held):
        whole = where[name]
        for at in range(SEAL, len(whole), 3):
            where[name] = seal(flipped(whole, at)[SEAL:])
            try:
                held.load()
                read += 1
            except UnreadableError:
                refused += 1
        where[name] = whole
    assert min(read, refused) > 10


def test_a_missing_part_is_named(held):
    for name in list(held.parts):
        part = held.parts.pop(name)
        with suppress(UnreadableError) if name == "coverage" else pytest.raises(UnreadableError, match=name):
            held.load()
        held.parts[name] = part


@pytest.mark.parametrize(
    "name",
    [
        "os:system",
        "mockserver.__main__:main",
        "mockserver.core.nothing:Sender",
        "mockserver.resources.senders.sender:AWAITING",
        "mockserver.resources.senders.sender:find",
        "mockserver.core.workspaces.store:Store",
        "",
        ":",
        "..:x",
    ],
)
def test_rows_are_of_types_of_the_package_only(name, held):
    row = "mockserver.resources.senders.sender:Sender"
    account = next(part for part in held.parts if part.startswith("account/"))
    form = unpack(held.parts[account][SEAL:], list)
    tables = form[1][2]
    tables[name] = tables.pop(row)
    held.parts[account] = seal(pack(form))

    with pytest.raises(UnreadableError):
        held.load()


def test_no_bytes_are_an_empty_coverage():
    assert not coverage(b"").answers


@pytest.mark.parametrize(
    "value", [b"\xc7\xff\x63" + b"\0" * 255, b"\xc1\xd4\x09\0", b"\xc1\xd4\x06\x01", b"\xdf\xff\xff\xff\xff"]
)
def test_bytes_that_claim_what_they_do_not_hold_are_refused(value):
    with pytest.raises(UnreadableError):
        unpack(value, dict)


@pytest.mark.parametrize(
    "value", ["\ud800", {"\udfff": ["\ud800", 2**64]}, -(2**63) - 1, 10**4000, {("a", 2**70): (1, {2: None})}]
)
def test_texts_and_numbers_that_messagepack_cannot_say_are_the_same(value):
    assert unpack(pack(value), object) == unpack(pack_exactly(value), object) == value
