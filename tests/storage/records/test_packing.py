"""Values are the same after they were written and read, also those that MessagePack cannot express."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

from mockserver.core.time.clock import Timer
from mockserver.core.traffic.coverage import Coverage
from mockserver.storage import forms
from mockserver.storage.packing import pack, pack_exactly, unpack

_BEYOND_MESSAGEPACK = [
    "\ud800", "\ud83d\ude00", {"\udfff": ["\ud800", 2**64]}, -(2**63) - 1, 10**4000, {("a", 2**70): (1, {2: None})},
]  # fmt: skip
_MOMENT = datetime(2026, 1, 15, 9, 0, 0, 1, UTC)


def test_values_beyond_messagepack_are_the_same():
    for value in _BEYOND_MESSAGEPACK:
        assert unpack(pack(value), object) == value


def test_plain_values_have_the_same_types_again():
    for value in [
        *_BEYOND_MESSAGEPACK, None, True, 1, 1.0, -0.0, 5e-324, float("inf"), "", "é\0😀", b"", b"\xff\0", 2**64,
        {"": 1}, {"": ["date", "2026-01-15"]}, {1: "1", "1": 1, None: 2, 1.5: 3, b"a": 4}, [(), [()], {(): ()}],
        _MOMENT, _MOMENT.replace(tzinfo=None), _MOMENT.replace(tzinfo=timezone(timedelta(hours=-3, minutes=30))),
        date(2026, 1, 15), timedelta(days=-1, seconds=5, microseconds=7),
    ]:  # fmt: skip
        read = unpack(pack_exactly(value), Any)

        assert (repr(read), read) == (repr(value), value)


def test_a_number_with_more_digits_than_python_writes_is_the_same():
    assert unpack(pack_exactly([-1 << 20_000]), Any) == [-1 << 20_000]


def test_a_typed_value_beyond_messagepack_is_the_same():
    timer = Timer(_MOMENT, "sender", "\ud800", "expire", 2**70)

    assert unpack(pack([timer]), list[Timer]) == [timer]


def test_packed_coverage_keeps_its_counts():
    coverage = Coverage()
    coverage.answers["getSenders", 200] += 2
    coverage.answers["getSenders", None] += 1
    coverage.codes["getSenders", "bad", True] += 3
    coverage.fields["\ud800", "a.b"] += 1

    assert forms.coverage_of(forms.counts_of(coverage)) == coverage
    assert unpack(pack(coverage), Coverage) == coverage
