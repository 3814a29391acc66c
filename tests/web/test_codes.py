"""Which of the 36 codes of the specification happen by themselves (contract/errors#by-themselves)."""

import re
from pathlib import Path

import pytest
from tables import tables

from mockserver.core.contract.errors import SPEC_CODES

BY_THEMSELVES = tables(__file__)["by_themselves"]
PAGE = Path(__file__).parents[2] / "docs" / "contract" / "errors.md"


def told(anchor):
    """The codes that the section's points begin with."""
    section = PAGE.read_text(encoding="utf-8").partition(f'<a id="{anchor}">')[2].partition("\n##")[0]
    return re.findall(r"^- `(.+?)`:", section, re.MULTILINE)


@pytest.mark.parametrize("code", BY_THEMSELVES)
def test_code_is_that_of_a_request_without_a_fault(make_api, code):
    row = BY_THEMSELVES[code]
    choice = "sentences" if row.get("sentences") else "specification"
    base = row.get("scenario", "standard")
    document = {"extends": base} if isinstance(base, str) else base
    api = make_api({**document, "behaviour": {"sentence_codes": choice}}, key=row.get("key", "any"))
    for step in row.get("steps", ()):
        assert ask(api, step).status_code < 300

    answer = ask(api, row["ask"])

    assert (answer.json["code"], answer.status_code) == (code, row["status"])
    assert api.get("/_mock/faults").json["items"] == []


def ask(api, request):
    method, path, body = request
    if isinstance(body, str):
        return api.request(method, path, data=body, content_type="application/x-www-form-urlencoded")
    return api.request(method, path, **({} if body is None else {"json": body}))


def test_page_tells_of_each_code_when_it_happens_or_why_it_does_not():
    assert told("by-themselves") == list(BY_THEMSELVES)
    assert sorted([*told("by-themselves"), *told("by-faults-only")]) == sorted(SPEC_CODES)
