"""The short pages of docs/reference leave nothing out: each call, member, fault and operation has its line."""

import re
from pathlib import Path

import pytest

from mockserver import create_app
from mockserver.core.state.faults import FAULT_KINDS
from mockserver.resources.registry import FURTHER_OPERATIONS, OPERATIONS
from mockserver.scenario.json_schema import document as json_schema

_FOLDER = Path(__file__).parents[2] / "docs" / "reference"


def page(name):
    return (_FOLDER / f"{name}.md").read_text(encoding="utf-8")


def sections(name):
    """The text below each heading of the third level."""
    return dict(re.findall(r"^### ([^\n]+)\n(.*?)(?=^##|\Z)", page(name), re.DOTALL | re.MULTILINE))


_CALLS = {
    (method.upper(), path): call
    for path, methods in create_app().test_client().get("/_mock/control.json").json["paths"].items()
    for method, call in methods.items()
}


@pytest.mark.parametrize(("method", "path"), _CALLS)
def test_page_of_the_control_api_has_every_call_with_its_query_parameters(method, path):
    call = _CALLS[method, path]
    names = [row["name"] for row in call.get("parameters", ()) if row.get("in") == "query"]

    (text,) = [
        text
        for heading, text in sections("control-api").items()
        if heading.rpartition(" ")[2] == path and method in heading.rpartition(" ")[0].split(", ")
    ]

    assert call["summary"] in text
    assert [name for name in names if f"`{name}`" not in text] == []


#: Definitions that other pages describe.
_OTHER_PAGES = {"faults": ["Fault", "Match", "Distribution"], "stubs": ["Stub", "ContentMatch", "Answer", "Store"]}
_ELSEWHERE = {
    "Account",
    "Behaviour",
    "RateLimit",
    "SsoTokenBehaviour",
    *(name for names in _OTHER_PAGES.values() for name in names),
}
_DEFINED = {name: kind["properties"] for name, kind in json_schema()["$defs"].items() if kind.get("properties")}
_KINDS = [
    *((page_, name) for page_, names in _OTHER_PAGES.items() for name in names),
    *(("scenarios", name) for name in _DEFINED if name not in _ELSEWHERE),
]


@pytest.mark.parametrize(("name", "kind"), _KINDS)
def test_page_has_every_member_of_a_mapping(name, kind):
    items = "".join(re.findall(r"^- [^:(]+", sections(name)[kind], re.MULTILINE))

    assert [member for member in _DEFINED[kind] if f"`{member}`" not in items] == []


def test_page_of_scenarios_has_every_member_of_the_top_and_of_accounts():
    items = "".join(re.findall(r"^- [^:(]+", page("scenarios"), re.MULTILINE))
    members = {*json_schema()["properties"], *_DEFINED["Account"]}

    assert [member for member in members if f"`{member}`" not in items] == []


def test_page_of_faults_has_every_fault():
    assert [name for name in FAULT_KINDS if f"- `{name}`: " not in page("faults")] == []


def test_page_of_operations_has_every_operation():
    operations = {**OPERATIONS, **FURTHER_OPERATIONS}

    assert [name for name in operations if f"- `{name}`, " not in page("operations")] == []
