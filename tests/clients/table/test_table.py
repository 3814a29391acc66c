"""The page about clients says what they do here and now."""

import re
import runpy
import shutil
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[3]
_WRITER = runpy.run_path(str(_ROOT / ".ci" / "clients.py"))
PAGE = _WRITER["PAGE"].read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.timeout(900)  # two minutes on an idle machine
@pytest.mark.skipif(shutil.which("node") is None, reason="two of the clients need node")
def test_page_says_what_the_clients_do():
    """`python .ci/clients.py` writes it anew."""
    undated = _WRITER["undated"]

    assert undated(_WRITER["written"](PAGE, _WRITER["measure"]())) == undated(PAGE)


def test_page_says_when_it_was_measured():
    assert re.search(r"^Measured on 20\d\d-\d\d-\d\d\.$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("path", ["README.md", "docs/truth/clients.md"])
def test_first_pages_name_the_clients_that_send_two_emails_and_report_success(path):
    table = PAGE.partition("### ")[2].partition("###")[0]
    rows = re.findall(r"^\| (.+?) \| (\d) \| (\d) \| (.+?) \|", table, re.MULTILINE)
    twice = [name for row in rows if row[1:] == ("2", "2", "success") for name in row[0].split(", ")]
    once = [name for row in rows if row[1:3] == ("1", "1") and row[3] != "success" for name in row[0].split(", ")]
    sentence = f"{' and '.join(twice)} have sent two e-mails and report success"

    assert sentence in (_ROOT / path).read_text(encoding="utf-8")
    assert (len(twice), len(once)) == (2, 4)
