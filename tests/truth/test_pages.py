"""The pages of docs/contract have each member and error of the record, with its mark, its source and its bounds."""

import re

import pytest
from truth.pages import Operations, note

from mockserver.evidence.fidelity import CONTRACT, marked_fields, record
from mockserver.resources.registry import ALL_OPERATIONS

RECORD = record(ALL_OPERATIONS.values())["operations"]
MARKS = {"documented": "documented", "observed": "recorded", "proposed": "proposed"}


@pytest.fixture(scope="module")
def pages():
    return Operations()


def _note(entry, operation):
    """The note of an entry of the record, without the section of the operation."""
    (own,) = re.findall(rf"{CONTRACT}/[\w-]+\.md#\w+", RECORD[operation]["source"])
    mark = f"in code, {entry['programs']}" if "programs" in entry else MARKS[entry["mark"]]
    return mark, frozenset(entry["source"].split(", ")) - {own}


def _required(operation):
    declared = ALL_OPERATIONS[operation]
    schemas = (declared.path_schema, declared.query_schema, declared.body_schema, declared.answer_schema)
    return [found.field.required for schema in schemas if schema is not None for found in marked_fields(schema())]


@pytest.mark.parametrize("operation", ALL_OPERATIONS)
def test_page_has_every_member_with_its_mark_and_source(pages, operation):
    entries = zip(RECORD[operation]["fields"], _required(operation), strict=True)
    expected = {(row["in"], row["name"]): (required, *_note(row, operation)) for row, required in entries}

    assert {
        (location, name): (member.is_required, *member.note)
        for location in pages.locations(operation)
        for name, member in pages.members(operation, location).items()
    } == expected


@pytest.mark.parametrize("operation", ALL_OPERATIONS)
def test_page_has_every_bound_of_a_member(pages, operation):
    for row in RECORD[operation]["fields"]:
        member = pages.members(operation, row["in"])[row["name"]]
        bounds = dict(row.get("bounds", {}))
        is_proposed = bounds.pop("mark", "") == "proposed"
        bounds.pop("source", "")
        values = {"a pattern" if name == "pattern" else str(value) for name, value in bounds.items()}

        assert [value for value in values if value not in member.form.replace(",", "")] == []
        assert ("*" in member.form) is is_proposed


@pytest.mark.parametrize("operation", ALL_OPERATIONS)
def test_page_has_every_error_with_its_mark_and_source(pages, operation):
    rows = {f"{row['status']} `{row['code']}`": row for row in RECORD[operation]["errors"]}

    assert len(rows) == len(RECORD[operation]["errors"])
    assert pages.errors[operation].keys() == rows.keys()
    for error, (text, common, page) in pages.errors[operation].items():
        assert text.startswith(rows[error]["when"])
        written = text.removeprefix(rows[error]["when"]).strip()
        assert note(written[1:-1] or common, page) == _note(rows[error], operation)
