"""The ledger says how sure the contract is, and how that is known."""

import re
from pathlib import Path

import pytest

from mockserver.core.contract.operation import Mark

_ROOT = Path(__file__).parents[1]
_LEDGER = (_ROOT / "docs" / "truth" / "ledger.md").read_text(encoding="utf-8")
_HEADING = re.compile(r'^## <a id="([\w-]+)"></a>.+$', re.MULTILINE)
_ANCHORS = _HEADING.findall(_LEDGER)
#: The text below each heading.
_SECTIONS = dict(zip(_ANCHORS, _HEADING.split(_LEDGER)[2::2], strict=True))


def tables(text):
    """The tables of a text: the cells of each row, the heading first."""
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        rows = [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in table.splitlines()]
        yield [rows[0], *rows[2:]]


def test_every_section_has_its_name_once():
    assert len(set(_ANCHORS)) == len(_ANCHORS) == 7


def test_the_marks_are_those_of_the_record():
    ((_, *rows),) = tables(_SECTIONS["marks"])

    assert {row[1].strip("`") for row in rows} == {*Mark, "-"}


@pytest.mark.parametrize(("section", "least"), [("newest", 40), ("changelog", 12)])
def test_what_is_said_to_hold_a_fact_is_there(section, least):
    held = [table for table in tables(_SECTIONS[section]) if "held by" in table[0]]
    found = [row[heading.index("held by")] for heading, *rows in held for row in rows]

    assert len(found) >= least
    for held_by in found:
        path, _, test = held_by.strip("`").partition("::")
        assert f"def {test}(" in (_ROOT / path).read_text(encoding="utf-8") if test else (_ROOT / path).is_file()


def test_the_changelog_stands_in_the_order_of_its_dates():
    for _, *rows in tables(_SECTIONS["changelog"]):
        assert [row[0] for row in rows] == sorted(row[0] for row in rows)


@pytest.mark.parametrize("page", ["ledger", "changes"])
@pytest.mark.parametrize("entry", ["2026-04-21", "2026-05-01", "2026-05-12", "2026-06-30", "2026-07-21"])
def test_entries_of_the_changelog_about_sending_and_contacts_are_named(page, entry):
    text = (_ROOT / "docs" / "truth" / f"{page}.md").read_text(encoding="utf-8")

    assert f"\n| {entry} |" in text
