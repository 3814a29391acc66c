"""The ledger is what the code cites, and tells what the mock does."""

import re
import runpy
from pathlib import Path

import pytest

from mockserver.core.contract.operation import Mark
from mockserver.core.state.behaviour import Behaviour
from mockserver.evidence.fidelity import LEDGER, record
from mockserver.resources.deliveries.attempts import RETRIES
from mockserver.resources.inbound.model import LONGEST
from mockserver.resources.oauth.model import ACCESS_LIFETIME, CODE_LIFETIME, REFRESH_LIFETIME
from mockserver.resources.registry import ALL_OPERATIONS, OPERATIONS
from mockserver.resources.senders.verification import OTP_RANGE
from mockserver.scenario.schema import BehaviourItem
from mockserver.settings import Settings

_ROOT = Path(__file__).parents[1]
_LEDGER = (_ROOT / LEDGER).read_text(encoding="utf-8")
_HEADING = re.compile(r'^##+ <a id="([\d.]+)"></a>\1\.? (.+)$', re.MULTILINE)
_ANCHORS = [number for number, _ in _HEADING.findall(_LEDGER)]
#: The text below each heading.
_SECTIONS = dict(
    zip(_ANCHORS, [part for index, part in enumerate(_HEADING.split(_LEDGER)) if index and index % 3 == 0], strict=True)
)
#: "ledger 2.13", "Ledger 3.2:", "ledger 2.39 and 2.40", "ledger 2.35 to 2.38 and 5", "ledger 7 row 19".
_CITATION = re.compile(r"\b[Ll]edger (\d+(?:\.\d+)?(?:(?:,| and| to|, and) \d+(?:\.\d+)?)*)")
_MARKS = {"specification", "documented", "client library", "recorded", "in code", "proposed", "not found"}


def cited():
    """Every section that a file of the package, its scenarios, fixtures or tests cites, with the file."""
    for folder in ("mockserver", "scenarios", "fixtures", "tests"):
        for path in sorted((_ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".yaml", ".html"):
                for found in _CITATION.finditer(path.read_text(encoding="utf-8")):
                    yield from ((number, path.name) for number in re.findall(r"\d+(?:\.\d+)?", found[1]))


def tables(text):
    """The tables of a text: the cells of each row, the heading first."""
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        rows = [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in table.splitlines()]
        yield [rows[0], *rows[2:]]


def test_the_generated_parts_are_what_the_declarations_give():
    """`python .ci/ledger.py` writes them anew."""
    written = runpy.run_path(str(_ROOT / ".ci" / "ledger.py"))["written"]

    assert re.findall(r"<!-- generated: (\S+) -->", _LEDGER) == sorted(
        OPERATIONS, key=lambda name: section_of(OPERATIONS[name])
    )
    assert written(_LEDGER) == _LEDGER


def section_of(operation):
    (number,) = re.findall(r"ledger 2\.(\d+)", operation.source)
    return int(number)


def test_every_section_has_its_number_once():
    assert len(set(_ANCHORS)) == len(_ANCHORS)


def test_every_citation_in_the_code_leads_to_a_section():
    found = list(cited())

    assert len(found) > 200
    assert [(number, name) for number, name in found if number not in _ANCHORS] == []


def test_every_source_of_the_fidelity_record_leads_to_a_section():
    rows = record(ALL_OPERATIONS.values())["operations"].values()
    sources = [entry["source"] for row in rows for entry in (row, *row["fields"], *row["errors"])]
    numbers = {number for source in sources for number in re.findall(rf"{LEDGER}#(\d+(?:\.\d+)?)", source)}

    assert numbers <= set(_ANCHORS)


def test_every_link_leads_to_a_section():
    assert {number for number in re.findall(r"\]\(#([^)]+)\)", _LEDGER) if number not in _ANCHORS} == set()


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_has_its_section_with_a_line_of_what_public_code_shows(name):
    section = _SECTIONS[f"2.{section_of(OPERATIONS[name])}"]
    (evidence,) = re.findall(r"^\*\*Public client code:\*\* (.+)$", section, re.MULTILINE)

    assert f"`{OPERATIONS[name].method} {OPERATIONS[name].path}`" in section
    assert re.match(r"\d+ programs?\b|none was found\b", evidence)


@pytest.mark.parametrize("number", _ANCHORS)
def test_every_mark_is_one_that_the_ledger_explains(number):
    found = [
        part.partition(",")[0].strip()
        for heading, *rows in tables(_SECTIONS[number])
        if heading[-1] == "mark"
        for row in rows
        for part in row[-1].split(";")
    ]

    assert set(found) <= _MARKS


def test_every_row_has_a_source_and_only_a_proposed_one_may_have_none():
    rows = [row for table in tables(_LEDGER) if table[0][-2:] == ["source", "mark"] for row in table[1:]]

    assert len(rows) > 300
    assert [row for row in rows if not row[-2] or (row[-2] == "-" and row[-1] != "proposed")] == []


def test_the_marks_are_explained_and_are_those_of_the_record():
    ((_, *rows),) = tables(_SECTIONS["0.2"])

    assert {row[0] for row in rows} == _MARKS
    assert {row[1].strip("`") for row in rows} == {*Mark, "-"}


@pytest.mark.parametrize(("section", "least"), [("0.1", 40), ("0.4", 12)])
def test_what_is_said_to_hold_a_fact_is_there(section, least):
    held = [table for table in tables(_SECTIONS[section]) if "held by" in table[0]]
    found = [row[heading.index("held by")] for heading, *rows in held for row in rows]

    assert len(found) >= least
    for held_by in found:
        path, _, test = held_by.strip("`").partition("::")
        assert f"def {test}(" in (_ROOT / path).read_text(encoding="utf-8") if test else (_ROOT / path).is_file()


def test_the_changelog_stands_in_the_order_of_its_dates():
    ((_, *rows),) = tables(_SECTIONS["0.4"])

    assert [row[0] for row in rows] == sorted(row[0] for row in rows)


def test_every_key_of_behaviour_that_it_names_exists():
    named = set(re.findall(r"`behaviour\.(\w+)", _LEDGER))

    assert len(named) >= 8
    known = BehaviourItem().fields.keys()
    assert named <= known


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ("1.1", f"{Settings().body_limit // 1024**2} MB"),
        ("1.7", f"{OTP_RANGE[0]} to {OTP_RANGE[1]}"),
        ("1.7", f"{Behaviour().otp_lifetime.seconds // 60} minutes"),
        ("3.1", f"{Behaviour().webhook_limit} webhooks"),
        ("3.2", f"{Behaviour().webhook_timeout.seconds} s, `behaviour.webhook_timeout`"),
        ("3.2", f"after {RETRIES[0].seconds // 60} minutes, then " + ", ".join(map(str, (
            f"{delay.seconds // 3600} hour{'s' * (delay.seconds > 3600)}" for delay in RETRIES[1:])))),
        ("3.2", f"{len(RETRIES) + 1} calls in all"),
        ("4", f"{Behaviour().sso_token.lifetime.days} days, `behaviour.sso_token`"),
        ("5", f"access token {ACCESS_LIFETIME.seconds // 3600} hour, refresh token {REFRESH_LIFETIME.days} days"),
        ("5", f"code {CODE_LIFETIME.seconds // 60} minutes"),
        ("7", f"{LONGEST.days} days"),
    ],
)  # fmt: skip
def test_a_number_that_it_tells_is_the_one_that_the_mock_keeps(section, told):
    assert told in _SECTIONS[section]


@pytest.mark.parametrize("tier", ["general", "advanced", "extended"])
def test_the_rate_limits_that_it_tells_are_those_of_the_answers(tier, make_api):
    api = make_api({"behaviour": {"rate_limit": {"tier": tier}}})
    (told,) = [row[1:4] for table in tables(_SECTIONS["1.5"]) for row in table if row[0] == tier]

    limits = [
        api.request(method, path).headers["x-sib-ratelimit-limit"]
        for method, path in (
            ("GET", "/v3/senders"),
            ("DELETE", "/v3/smtp/email/x"),
            ("DELETE", "/v3/contacts/attributes/normal/X"),
        )
    ]
    assert [cell.replace(",", "").partition(" ")[0] for cell in told] == limits


def test_no_line_of_it_is_longer_than_a_reader_can_bear():
    assert max(map(len, _LEDGER.splitlines())) < 1000
