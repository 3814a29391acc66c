"""README and pages are true: generated parts are the code's, links lead somewhere, and what they show happens."""

import ast
import inspect
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from socketserver import BaseRequestHandler, UDPServer

import dns.message
import dns.rcode
import pytest
import yaml
from background_server import in_background

from mockserver.resources.registry import API_OPERATIONS
from mockserver.scenario.documents.library import Library
from mockserver.scenario.load import load

_ROOT = Path(__file__).parents[2]
_WRITER = runpy.run_path(str(_ROOT / ".ci" / "documents.py"))
_MADE = _WRITER["made"]()
#: The contract has tests of its own (tests/test_contract.py); here its links alone are looked at.
_DOCUMENTS = {path.relative_to(_ROOT).as_posix(): path.read_text(encoding="utf-8") for path in _WRITER["documents"]()}
_CONTRACT = {
    path.relative_to(_ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted((_ROOT / "docs" / "contract").glob("*.md"))
}
#: What GitHub shows to those who report or change something.
_OF_GITHUB = {
    path.relative_to(_ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted((_ROOT / ".github").glob("*.md"))
}
_ALL = {**_DOCUMENTS, **_CONTRACT, **_OF_GITHUB}
_FENCED = re.compile(r"^(```+)[^`\n]*\n.*?^\1$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_SERVER = re.compile(r"^<!-- server: (\{.*\}) -->$", re.MULTILINE)


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def sections(text):
    """The text below each heading, a heading in a block of code being none."""
    found = {"": ""}
    title = ""
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = re.match(r"`{3,}", line)
        if mark and (not fence or line.strip() == fence):
            fence = "" if fence else mark[0]
        if not fence and (heading := re.fullmatch(r"#+ (.+)\n?", line)):
            title = heading[1]
            found[title] = ""
        found[title] += line
    return found


def anchors(text):
    """What a link to the document can name: its headings as GitHub calls them, and its own anchors."""
    plain = _FENCED.sub("", text)
    titles = [re.sub(r"<[^>]+>|\]\([^)]*\)", "", title) for title in _HEADING.findall(plain)]
    slugs = [re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-") for title in titles]
    return {*slugs, *re.findall(r'<a id="([\w-]+)"></a>', plain)}


def is_shown(output, shown):
    """Whether a line of output is what a page shows; `...` stands for anything."""
    return re.fullmatch(".*".join(re.escape(part) for part in shown.split("...")), output) is not None


_STORIES = {
    f"{name}: {title}": (script, dict(json.loads((_SERVER.search(text) or ["", "{}"])[1])))
    for name, document in _DOCUMENTS.items()
    for title, text in sections(document).items()
    if (script := "".join(blocks(text, "sh")))
}


@pytest.mark.parametrize("name", _DOCUMENTS)
def test_generated_parts_are_what_the_code_gives(name):
    """`python .ci/documents.py` writes them anew."""
    assert _WRITER["written"](_DOCUMENTS[name]) == _DOCUMENTS[name]


def test_each_generated_part_is_used_in_a_document():
    shown = set(re.findall(r"<!-- generated: (\S+) -->", "".join(_DOCUMENTS.values())))

    assert set(_WRITER["PARTS"]) <= shown


@pytest.mark.parametrize("path", _MADE, ids=lambda path: path.name)
def test_file_that_the_code_makes_as_a_whole_is_up_to_date(path):
    assert path.read_text(encoding="utf-8") == _MADE[path]


@pytest.mark.parametrize("name", _ALL)
def test_links_of_documents_resolve(name):
    for target in _LINK.findall(_FENCED.sub("", _ALL[name])):
        path, _, anchor = target.partition("#")
        if re.match(r"https?:|mailto:", target):
            continue
        found = (_ROOT / name).parent / path if path else _ROOT / name
        assert found.exists(), target
        assert not anchor or anchor in anchors(found.read_text(encoding="utf-8")), target


@pytest.mark.parametrize("name", ["README.md", "docs/truth/not-there.md"])
def test_a_page_tells_how_many_operations_are_modelled(name):
    assert f"{len(API_OPERATIONS)} operations" in _DOCUMENTS[name]


def test_links_of_pages_stay_among_the_pages():
    """A page of the site leads to pages of the site: what lies beside them is not there."""
    pages = {name: text for name, text in _ALL.items() if name.startswith("docs/")}
    targets = [
        (name, target)
        for name, text in pages.items()
        for target in _LINK.findall(_FENCED.sub("", text))
        if not re.match(r"https?:|#", target)
    ]

    folder = _ROOT / "docs"
    assert [
        found for found in targets
        if not ((_ROOT / found[0]).parent / found[1].partition("#")[0]).resolve().is_relative_to(folder)
    ] == []  # fmt: skip


#: What a page installs by a name that no index has yet, and what says where else to get it.
_BY_NAME = re.compile(r"(?:pip install|uvx|pipx run)[^`\n]*brevo-mockserver")
_INSTALLS = [name for name, text in _DOCUMENTS.items() if _BY_NAME.search(text)]
#: Names that a reader has to replace by others.
_PLACEHOLDERS = re.compile(r"registry\.example\.com|example-org/mockserver")


def test_pages_that_install_by_name_are_found():
    assert {"docs/start.md", "docs/guides/pytest.md", "docs/trouble.md"} <= set(_INSTALLS)


@pytest.mark.parametrize("name", ["README.md", *_INSTALLS])
def test_a_page_says_how_to_install_before_the_first_release_if_it_installs_by_name(name):
    assert re.search(
        r"\]\([^)]*#before-the-first-release\)|^## Before the first release$", _DOCUMENTS[name], re.MULTILINE
    )


@pytest.mark.parametrize(
    ("name", "placeholder"),
    [(name, found) for name, text in _DOCUMENTS.items() for found in sorted(set(_PLACEHOLDERS.findall(text)))],
)
def test_a_page_says_what_its_placeholder_stands_for(name, placeholder):
    prose = _FENCED.sub("", _DOCUMENTS[name])

    assert f"`{placeholder}` is a placeholder for " in prose
    assert "#before-the-first-release)" in prose


@pytest.mark.parametrize("name", [name for name, text in _DOCUMENTS.items() if "redis://" in text])
def test_a_page_names_the_extra_if_it_has_a_store_in_redis(name):
    assert re.search(r"extra `redis`|\[server,redis\]", _DOCUMENTS[name])


@pytest.mark.parametrize("name", [name for name, text in _DOCUMENTS.items() if "<!-- search: " in text])
def test_words_by_which_a_page_is_found_appear_in_its_text(name):
    """A search must not lead to a page that does not mention what was searched for."""
    words = " ".join(re.findall(r"^<!-- search: (.+) -->$", _DOCUMENTS[name], re.MULTILINE)).lower()
    text = re.sub(r"<!--.*?-->", "", _DOCUMENTS[name], flags=re.DOTALL).lower()

    assert [word for word in re.findall(r"[\w.]+", words) if word not in text] == []


@pytest.fixture(scope="module")
def resolver():
    """The address of a DNS server that knows no name."""

    class NoSuchName(BaseRequestHandler):
        def handle(self):
            question, sock = self.request
            answer = dns.message.make_response(dns.message.from_wire(question))
            answer.set_rcode(dns.rcode.NXDOMAIN)
            sock.sendto(answer.to_wire(), self.client_address)

    with in_background(UDPServer(("127.0.0.1", 0), NoSuchName)) as server:
        yield f"127.0.0.1:{server.server_address[1]}"


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
@pytest.mark.parametrize("title", _STORIES)
def test_every_command_prints_what_is_shown(title, serve, resolver, tmp_path):
    """The commands of a section, one after the other, on a server of its own."""
    script, settings = _STORIES[title]
    if settings.get("dns_resolver") == "127.0.0.1:5300":
        settings["dns_resolver"] = resolver
    root = serve(**{name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()})
    script = script.replace("localhost:8003", root.removeprefix("http://"))
    shown = [line.removeprefix("# ") for line in script.splitlines() if line.startswith("# ")]

    run = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        check=True, capture_output=True, text=True, timeout=60, cwd=tmp_path,
        env={**os.environ, "MOCKSERVER_URL": root, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
    )  # fmt: skip

    printed = run.stdout.splitlines()
    assert shown
    assert len(printed) == len(shown), run.stdout
    assert [line for line, wanted in zip(printed, shown, strict=True) if not is_shown(line, wanted)] == []


@pytest.mark.parametrize(
    ("name", "section"), [("README.md", "Start"), ("docs/start.md", "3. Point your product at it")]
)
def test_the_client_library_is_pointed_at_it_as_shown(name, section, serve):
    (program,) = blocks(sections(_DOCUMENTS[name])[section], "python")
    names = {}

    exec(program.replace("http://localhost:8003", serve()), names)
    names["client"]._client_wrapper.httpx_client.httpx_client.close()  # noqa: SLF001  # it cannot close itself


def test_the_scenario_loads_as_it_is_shown(tmp_path):
    (document,) = blocks(sections(_DOCUMENTS["docs/reference/scenarios.md"])["Scenarios"], "yaml")
    (tmp_path / "shown.yaml").write_text(document, encoding="utf-8")

    workspace = load(Library(tmp_path).read("shown"), name="shown", title="shown")

    assert workspace.state.clock.frozen
    assert [account.name for account in workspace.state.accounts.values()] == [
        yaml.safe_load(document)["accounts"][0]["name"]
    ]


#: Calls of a workspace's handles that stand in the text, as `mockserver.clock.advance(minutes=16)`, by the name of the
#: fixture; `...` stands for any value.
_CALLS = sorted(
    {
        (name, call)
        for name, text in _DOCUMENTS.items()
        for call in re.findall(r"`(mockserver\.[^`]+\))[^`]*`", _FENCED.sub("", text))
        if not re.match(r"mockserver\.(?:cli|settings|testing|dns\.internal)", call)
    }
)


@pytest.mark.parametrize(("name", "call"), _CALLS)
def test_every_call_in_the_text_has_the_form_that_the_handle_takes(name, call, workspace):
    found = next(node for node in ast.walk(ast.parse(call, mode="eval")) if is_plain(node))
    function = eval(compile(ast.Expression(found.func), name, "eval"), {"mockserver": workspace})

    inspect.signature(function).bind(*found.args, **{keyword.arg: keyword.value for keyword in found.keywords})


def is_plain(node):
    """A call of what attributes alone lead to: of `requests.all()[0].reason`, the call of `requests.all`."""
    if not isinstance(node, ast.Call):
        return False
    names = [found for found in ast.walk(node.func) if not isinstance(found, ast.expr_context)]
    return all(isinstance(found, (ast.Attribute, ast.Name)) for found in names)
