"""Fields of another layout are known, as it has another name."""

from stored_types import digest, row_types

from mockserver.storage.packing import layout


def test_the_layout_changes_with_the_types_that_are_written():
    assert layout() == digest(), "a type has changed: write the new digest into mockserver/storage/packing.py"


def test_all_kinds_of_rows_are_found():
    assert {"Sender", "Delivery", "InboundEvent", "Profile", "Windows", "Stored"} <= {
        row.__name__ for row in row_types()
    }
