"""The JSON that comes in: what is good is read as json reads it, and all else is refused with one kind of error."""

from __future__ import annotations

import json

import pytest
from examples import examples
from hypothesis import assume, given
from hypothesis import strategies as st

from mockserver.web.schemas import json_text
from mockserver.web.schemas.json_text import JsonError

INT64 = st.integers(-(2**63), 2**63 - 1)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | INT64 | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXT, inner, max_size=5),
    max_leaves=20,
)
#: Pieces of which texts are made that are nearly JSON.
PIECES = st.sampled_from(
    ["{", "}", "[", "]", ",", ":", '"', '"a"', '"\\ud800"', '"\\udc00"', "\\u00e9", "NaN", "-Infinity", "1e999", "-0",
     "9" * 20, "9" * 5000, "true", "null", " ", "\n", "\x00", "\ufeff", "é", "1", "1.5", '"a":1'],
)  # fmt: skip


@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_good_json_is_read_as_json_reads_it(value, ensure_ascii, indent):
    text = json.dumps(value, ensure_ascii=ensure_ascii, indent=indent)
    assert same(json_text.read(text.encode()), value)


@given(VALUES)
def test_json_survives_writing_and_reading(value):
    raw = json_text.write(value)
    assert raw.endswith(b"\n")
    assert same(json_text.read(raw), value)


@given(VALUES, st.integers(0, 4))
def test_json_written_in_parts_is_equal(value, levels):
    assert b"".join(json_text.pieces(value, str, levels)) + b"\n" == json_text.write(value)


def test_no_part_holds_more_than_a_row():
    rows = [{"id": number, "name": "x" * 100} for number in range(50)]

    assert max(map(len, json_text.pieces({"accounts": [{"senders": rows}]}, str, 4))) < 150


@given(st.binary(max_size=60) | st.lists(PIECES, max_size=25).map(lambda pieces: "".join(pieces).encode()))
@examples(500)
def test_any_bytes_are_read_as_json_reads_them_or_refused(raw):
    try:
        value = json_text.read(raw)
    except JsonError as error:
        str(error).encode()  # what it says can go out
        return
    assert same(value, json.loads(raw.decode()))
    json_text.write(value)


@given(VALUES, st.data())
def test_a_good_text_with_one_byte_changed_is_read_or_refused(value, data):
    raw = bytearray(json.dumps(value).encode())
    raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        found = json_text.read(bytes(raw))
    except JsonError:
        return
    assert same(found, json.loads(bytes(raw).decode()))


@given(st.integers().filter(lambda number: not -(2**63) <= number < 2**63) | st.integers(2**63, 10**4000))
def test_integers_beyond_64_bits_are_refused(number):
    with pytest.raises(JsonError, match="64 bits"):
        json_text.read(b"[%d]" % number)


@given(st.lists(TEXT, min_size=1, unique=True), st.data())
def test_an_object_with_a_member_twice_is_refused(names, data):
    twice = data.draw(st.sampled_from(names))
    members = ",".join(f"{json.dumps(name)}:1" for name in [*names, twice])
    with pytest.raises(JsonError, match="duplicate member"):
        json_text.read(f'{{"outer":{{{members}}}}}'.encode())


@given(st.integers(0xD800, 0xDFFF), TEXT, st.sampled_from(['"%s"', '["%s"]', '{"%s":1}', '{"a":{"b":"%s"}}']))
def test_half_of_a_surrogate_pair_is_refused_wherever_it_stands(half, around, form):
    quoted = json.dumps(around)[1:-1]
    with pytest.raises(JsonError, match="surrogate"):
        json_text.read((form % f"{quoted}\\u{half:04x}").encode())


@given(st.integers(0x10000, 0x10FFFF))
def test_a_whole_surrogate_pair_is_one_character(code):
    assert json_text.read(json.dumps(chr(code)).encode()) == chr(code)


@given(st.sampled_from(["[", '{"a":', '[{"a":']), st.integers(101, 200_000))
def test_deep_nesting_is_refused_however_deep(opening, times):
    closing = "".join({"[": "]", "{": "}"}.get(sign, "") for sign in reversed(opening))
    with pytest.raises(JsonError, match="too deeply"):
        json_text.read(f"{opening * times}1{closing * times}".encode())


@given(st.integers(1, 99))
def test_moderate_nesting_is_read(depth):
    raw = b"[" * depth + b"1" + b"]" * depth
    assert json_text.read(raw) == json.loads(raw)


@given(st.binary(min_size=1, max_size=40))
def test_bytes_that_are_not_utf_8_are_refused(raw):
    assume(not is_utf_8(raw))
    with pytest.raises(JsonError, match="UTF-8"):
        json_text.read(b'"' + raw + b'"')


def is_utf_8(raw):
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def same(one, other):
    """Equal, and of the same types: True is no 1 and 1.0 no 1 here."""
    return json.dumps(one) == json.dumps(other)
