"""The contract is what the code cites, and tells what the mock does."""

import re
import runpy
from pathlib import Path

import pytest

from mockserver.core.contract.errors import ALL_CODES
from mockserver.core.contract.operation import Mark
from mockserver.core.state.behaviour import Behaviour
from mockserver.evidence.fidelity import CITATION, CONTRACT, record
from mockserver.resources.deliveries.model import RETRIES
from mockserver.resources.inbound.model import LONGEST
from mockserver.resources.oauth.model import ACCESS_LIFETIME, CODE_LIFETIME, REFRESH_LIFETIME
from mockserver.resources.registry import ALL_OPERATIONS, LIFECYCLES, OPERATIONS, RESOURCES
from mockserver.resources.senders.model import OTP_RANGE
from mockserver.resources.webhooks.catalogue import BY_NAME
from mockserver.resources.webhooks.event import INBOUND_SMS
from mockserver.scenario.behaviour import BehaviourItem
from mockserver.settings import Settings

ROOT = Path(__file__).parents[1]
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / CONTRACT).glob("*.md"))}
LEDGER = (ROOT / "docs" / "truth" / "ledger.md").read_text(encoding="utf-8")
CHANGES = (ROOT / "docs" / "truth" / "changes.md").read_text(encoding="utf-8")
ANCHOR = re.compile(r'^##+ <a id="([\w-]+)"></a>', re.MULTILINE)
LINK = re.compile(r"\[[^\]]+\]\(([^)\s]*)\)")
#: What its pages call a mark; what follows a comma says more of it.
MARKS = {"specification", "documented", "client library", "recorded", "in code", "proposed", "not found"}
#: What a source alone begins with: a fact with one is documented there.
SOURCES = (
    "specification", "OpenAPI", "python 5.1", "brevo-python", "sib-api-v3-sdk", "page ", "pages ", "changelog", "RFC",
    "help.brevo.com", "OpenID", "UTS",
)  # fmt: skip
#: A generated part.
MADE = re.compile(r"^<!-- \w+ \S+ -->\n.*?(?:^<!-- end -->|^(?=## )|\Z)", re.MULTILINE | re.DOTALL)
#: How the code cited its sources before they could be opened.
CLOSED = re.compile(r"\bSPEC\b|\b[Ll]edger \d|\bDESIGN\b")


def places():
    """Every page, and every place on one, as the code cites them."""
    for page, text in PAGES.items():
        yield f"contract/{page}"
        yield from (f"contract/{page}#{anchor}" for anchor in ANCHOR.findall(text))


def section(page, anchor):
    (found,) = re.findall(rf'<a id="{anchor}"></a>[^\n]*\n(.*?)(?=^## |\Z)', PAGES[page], re.DOTALL | re.MULTILINE)
    return found


def sources():
    """The files that may cite the contract, with their text."""
    for folder in ("mockserver", "scenarios", "fixtures", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".yaml", ".html") and path != Path(__file__):
                yield path.relative_to(ROOT), path.read_text(encoding="utf-8")


def tables(text):
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        rows = [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in table.splitlines()]
        yield [rows[0], *rows[2:]]


def generated(kind):
    """The names of the generated parts of a kind, with their pages."""
    return [(name, page) for page, text in PAGES.items() for name in re.findall(rf"<!-- {kind} (\S+) -->", text)]


@pytest.fixture(scope="module")
def written():
    return runpy.run_path(str(ROOT / ".ci" / "contract.py"))["written"]


@pytest.mark.parametrize("page", PAGES)
def test_the_generated_parts_are_what_the_declarations_give(page, written):
    """`python .ci/contract.py` writes them anew."""
    assert written(PAGES[page]) == PAGES[page]


def test_every_operation_is_told_at_its_own_place():
    pages = {operation.id: resource.name for resource in RESOURCES for operation in resource.operations}

    assert {name: ANCHOR.findall(PAGES[page]).count(name) for name, page in pages.items()} == dict.fromkeys(pages, 1)
    assert dict(generated("operation")) == pages
    assert {name: CITATION.search(operation.source)[0] for name, operation in ALL_OPERATIONS.items()} == {
        name: f"contract/{page}#{name}" for name, page in pages.items()
    }


def test_every_resource_and_every_state_machine_has_its_page():
    assert {resource.name for resource in RESOURCES} <= PAGES.keys()
    assert dict(generated("machine")) == {
        lifecycle.machine.name: resource.name for resource in RESOURCES for lifecycle in resource.lifecycles
    }
    assert {name for name, _ in generated("machine")} == LIFECYCLES.keys()


def test_every_table_of_events_is_told():
    kinds = {"/".join(category) for category in BY_NAME if category != INBOUND_SMS}

    assert {name for name, _ in generated("events")} == kinds


def test_every_error_code_has_its_row():
    assert ALL_CODES.keys() == set(re.findall(r"^- \d+ `([^`]+)`", section("errors", "codes"), re.MULTILINE))


def test_pages_and_anchors_of_the_contract_are_unique():
    assert len(set(places())) == len(list(places()))


@pytest.mark.parametrize("page", [*PAGES, "../truth/ledger"])
def test_every_link_leads_to_a_place(page):
    here = ROOT / CONTRACT / f"{page}.md"
    for target in LINK.findall(here.read_text(encoding="utf-8")):
        name, _, anchor = target.partition("#")
        path = here.parent / name if name else here
        assert path.is_file(), target
        assert not anchor or f'<a id="{anchor}"></a>' in path.read_text(encoding="utf-8"), target


def test_every_citation_in_the_code_leads_to_a_place():
    known = set(places())
    found = [(path, cited[0]) for path, text in sources() for cited in CITATION.finditer(text)]

    assert len(found) > 150
    assert [(str(path), cited) for path, cited in found if cited not in known] == []


def test_nothing_is_cited_that_no_reader_can_open():
    found = [(str(path), cited) for path, text in sources() for cited in CLOSED.findall(text)]

    assert found == []


def test_every_page_is_cited_from_the_package_or_from_the_index():
    cited = {place[1] for path, text in sources() if path.parts[0] == "mockserver" for place in CITATION.finditer(text)}
    shown = set(re.findall(r"\]\(([\w-]+)\.md", PAGES["README"]))

    assert PAGES.keys() - {"README"} <= cited | shown


def test_every_source_of_the_fidelity_record_leads_to_a_place():
    rows = record(ALL_OPERATIONS.values())["operations"].values()
    told = [entry["source"] for row in rows for entry in (row, *row["fields"], *row["errors"])]
    cited = {found for source in told for found in re.findall(rf"{CONTRACT}/([\w-]+)\.md(#[\w-]+)?", source)}

    assert {f"contract/{page}{anchor}" for page, anchor in cited} <= set(places())


def test_every_section_of_the_specification_that_is_named_has_its_facts_here():
    lists = re.findall(r"^- ([\d., ]+):", section("README", "specification"), re.MULTILINE)
    told = {number for row in lists for number in row.split(", ")}
    named = {
        number
        for text in (*PAGES.values(), *(text for path, text in sources() if path.parts[0] == "mockserver"))
        for cited in re.findall(r"\bspecification (\d(?:\.\d+)?(?:(?:,| and) \d(?:\.\d+)?)*)", text)
        for number in re.findall(r"\d(?:\.\d+)?", cited)
    }

    assert [number for number in named if not {number, number.partition(".")[0]} & told] == []


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_has_a_line_of_what_public_code_shows(name):
    operation = OPERATIONS[name]
    (page,) = {page for told, page in generated("operation") if told == name}
    (shown,) = re.findall(r"^\*\*Public client code:\*\* (.+)$", section(page, name), re.MULTILINE)

    assert f"`{operation.method} {operation.path}`" in section(page, name)
    assert re.match(r"\d+ programs?\b|none was found\b", shown)


def notes(text):
    """Yield the notes of a line: texts in brackets that begin with a mark or a source."""
    for found in re.findall(r"\(((?:[^()]|\([^()]*\))+)\)", text):
        if found.startswith((*MARKS, *SOURCES)):
            yield found


def bullets():
    """Yield the hand-written points of pages with their pages, without those that describe codes or the pages."""
    described = {"by-themselves", "by-faults-only"}
    for page in PAGES.keys() - {"README", "behaviour"}:
        for part in re.split(r"^(?=##)", MADE.sub("", PAGES[page]), flags=re.MULTILINE):
            if not described & set(ANCHOR.findall(part)):
                yield from ((page, line) for line in re.findall(r"^- .+", part, re.MULTILINE))


@pytest.mark.parametrize("page", PAGES)
def test_every_mark_is_one_that_the_ledger_explains(page):
    marks = [row[-1] for heading, *rows in tables(PAGES[page]) if heading[-1] == "mark" for row in rows]

    assert {part.partition(",")[0].strip() for mark in marks for part in mark.split(";")} <= MARKS


def test_every_part_of_a_note_begins_with_a_mark_or_a_source():
    parts = [(page, part) for page, line in bullets() for note in notes(line) for part in note.split("; ")]

    assert [(page, part) for page, part in parts if not part.startswith((*MARKS, *SOURCES))] == []


def test_the_ledger_explains_every_mark():
    (explained,) = [rows for heading, *rows in tables(LEDGER) if heading[0] == "mark"]

    assert {row[0] for row in explained} == MARKS


def test_every_point_has_a_mark_or_a_source():
    points = list(bullets())

    assert len(points) > 600
    assert [(page, line) for page, line in points if not [*notes(line)]] == []


def test_every_key_of_behaviour_that_is_named_exists():
    named = set(re.findall(r"`behaviour\.(\w+)", "".join([LEDGER, *PAGES.values()])))

    assert len(named) > 20
    assert named <= BehaviourItem().fields.keys()


def test_a_number_that_the_contract_tells_is_the_one_that_the_mock_keeps():
    for page, told in [
        ("transport", f"{Settings().body_limit // 1024**2} MB"),
        ("senders", f"{OTP_RANGE[0]} to {OTP_RANGE[1]}"),
        ("senders", f"{Behaviour().otp_lifetime.seconds // 60} minutes"),
        ("webhooks", f"{Behaviour().webhook_limit} webhooks"),
        ("deliveries", f"{Behaviour().webhook_timeout.seconds} s, `behaviour.webhook_timeout`"),
        ("deliveries", f"after {RETRIES[0].seconds // 60} minutes, then " + ", ".join(map(str, (
            f"{delay.seconds // 3600} hour{'s' * (delay.seconds > 3600)}" for delay in RETRIES[1:])))),
        ("deliveries", f"{len(RETRIES) + 1} calls in all"),
        ("sso", f"{Behaviour().sso_token.lifetime.days} days, `behaviour.sso_token`"),
        ("oauth", f"access token {ACCESS_LIFETIME.seconds // 3600} hour, refresh token {REFRESH_LIFETIME.days} days"),
        ("oauth", f"code {CODE_LIFETIME.seconds // 60} minutes"),
        ("inbound", f"{LONGEST.days} days"),
    ]:  # fmt: skip
        assert told in PAGES[page]


def test_a_reading_that_no_source_tells_is_told_with_its_mark():
    for page, told in [
        ("errors", "a bad body is 400 even if the path names nothing that exists"),
        ("errors", "an enterprise feature is refused after a bad body or parameter"),
        ("senders", "a wrong code after the expiry of the right one is `Invalid OTP code provided`. (proposed)"),
        ("authentication", "the key counts and the token is not looked at, however bad it is"),
        ("corporate", "What is unlimited has -1 in `quantity` and in `remaining`"),
        ("corporate", "they are rounded down, 9.5 to 9; the account shows 9.5. (proposed)"),
        ("corporate", "Several sub-accounts may have the same `email`, that of their owner"),
        ("values", "e-mail addresses and domains in filters of a query: compared without case"),
        ("values", "names and categories of attributes in a path: compared with case"),
        ("transport", "- `HEAD`: as `GET`, without the body (proposed)"),
        ("transport", "- `OPTIONS`: 204 with the CORS headers at every address, with or without a key (proposed)"),
        ("transport", "a path with a slash at its end, or two within, is an unknown route: 404 (proposed)"),
        ("transport", "ignored, with a warning in the journal; 400 where the scenario is `strict` (proposed)"),
        ("rate-limits", "counts as contacts, though the page writes `/v3/contacts/{...}` (proposed)"),
        ("events", "(proposed: made of the payload's name, which the changelog of 2026-04-27 has)"),
        ("oauth", "the vendor offers them since 2026-10-17, the specification does not yet"),
    ]:  # fmt: skip
        assert told in PAGES[page]


@pytest.mark.parametrize("tier", ["general", "advanced", "extended"])
def test_the_rate_limits_that_the_contract_tells_are_those_of_the_answers(tier, make_api):
    api = make_api({"behaviour": {"rate_limit": {"tier": tier}}})
    (table,) = [table for table in tables(PAGES["rate-limits"]) if tier in table[0]]
    told = {row[0]: row[table[0].index(tier)] for row in table[1:]}

    limits = {
        paths: api.request(method, path).headers["x-sib-ratelimit-limit"]
        for paths, method, path in (
            ("`POST /v3/smtp/email`, `GET /v3/smtp/blockedContacts`", "POST", "/v3/smtp/email"),
            ("`GET /v3/smtp/emails`", "GET", "/v3/smtp/emails"),
            ("all else below `/v3/smtp/`", "DELETE", "/v3/smtp/email/x"),
            ("`/v3/contacts` and below", "DELETE", "/v3/contacts/attributes/normal/X"),
            ("all else", "GET", "/v3/senders"),
        )
    }
    assert {paths: cell.replace(",", "").partition(" ")[0] for paths, cell in told.items()} == limits


def test_no_line_of_the_contract_is_longer_than_a_reader_can_bear():
    assert max(len(line) for text in (LEDGER, *PAGES.values()) for line in text.splitlines()) < 1000


_HEADING = re.compile(r'^## <a id="([\w-]+)"></a>.+$', re.MULTILINE)
_ANCHORS = _HEADING.findall(LEDGER)
#: The text below each heading.
_SECTIONS = dict(zip(_ANCHORS, _HEADING.split(LEDGER)[2::2], strict=True))


def test_section_anchors_of_the_ledger_are_unique():
    assert len(set(_ANCHORS)) == len(_ANCHORS) == 7


def test_marks_of_the_ledger_match_the_declared_marks():
    ((_, *rows),) = tables(_SECTIONS["marks"])

    assert {row[1].strip("`") for row in rows} == {*Mark, "-"}


@pytest.mark.parametrize(("section", "least"), [("newest", 40), ("changelog", 11)])
def test_cited_tests_and_files_exist(section, least):
    found = re.findall(r"`((?:tests|fixtures)/[^`]+)`", _SECTIONS[section])

    assert len(found) >= least
    for held_by in found:
        path, _, test = held_by.partition("::")
        assert f"def {test}(" in (ROOT / path).read_text(encoding="utf-8") if test else (ROOT / path).is_file()


@pytest.mark.parametrize("section", ["newest", "changelog"])
def test_each_point_of_the_ledger_is_held_by_a_test_or_a_file(section):
    points = re.findall(r"^- .+", _SECTIONS[section], re.MULTILINE)

    assert [line for line in points if not re.search(r": `(?:tests|fixtures)/", line)] == []


def test_changes_are_in_the_order_of_their_dates():
    days = re.findall(r"^\| (2026-\d\d-\d\d) \|", CHANGES, re.MULTILINE)

    assert len(days) > 15
    assert days == sorted(days)


@pytest.mark.parametrize("entry", ["2026-04-21", "2026-05-01", "2026-05-12", "2026-06-30", "2026-07-21"])
def test_entries_of_the_changelog_about_sending_and_contacts_are_named(entry):
    assert f"\n| {entry} |" in CHANGES
