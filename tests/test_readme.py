"""The README is true: its generated parts are the code's, and what it shows happens."""

import re
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from mockserver.scenario.library import Library
from mockserver.scenario.load import load

_ROOT = Path(__file__).parents[1]
_README = (_ROOT / "README.md").read_text(encoding="utf-8")
_TOUR = _README.partition("\n## A tour\n")[2].partition("\n## ")[0]
_STORIES = {title: text for title, _, text in (part.partition("\n") for part in _TOUR.split("\n### ")[1:])}


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def is_shown(output, shown):
    """Whether a line of output is what the README shows; `...` stands for anything."""
    return re.fullmatch(".*".join(re.escape(part) for part in shown.split("...")), output) is not None


def test_the_generated_parts_are_what_the_code_gives():
    """`python .ci/readme.py` writes them anew."""
    written = runpy.run_path(str(_ROOT / ".ci" / "readme.py"))["written"]

    assert _README.count("<!-- generated: ") == 6
    assert written(_README) == _README


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
@pytest.mark.parametrize("title", _STORIES)
def test_every_command_of_the_tour_prints_what_is_shown(title, serve):
    """The commands of a story, one after the other, on a server of its own."""
    script = "".join(blocks(_STORIES[title], "sh"))
    shown = [line.removeprefix("# ") for line in script.splitlines() if line.startswith("# ")]

    run = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script.replace("localhost:8003", serve().removeprefix("http://"))],
        check=True, capture_output=True, text=True, timeout=60,
    )  # fmt: skip

    printed = run.stdout.splitlines()
    assert shown
    assert len(printed) == len(shown), run.stdout
    assert [line for line, wanted in zip(printed, shown, strict=True) if not is_shown(line, wanted)] == []


def test_the_client_library_is_pointed_at_it_as_shown(serve):
    (program,) = blocks(_TOUR, "python")
    names = {}

    exec(program.replace("http://localhost:8003", serve()), names)
    names["client"]._client_wrapper.httpx_client.httpx_client.close()  # noqa: SLF001  # it cannot close itself


def test_the_scenario_loads_as_it_is_shown(tmp_path):
    (document,) = blocks(_README, "yaml")
    (tmp_path / "shown.yaml").write_text(document, encoding="utf-8")

    world = load(Library(tmp_path).read("shown"), name="shown", title="shown")

    assert world.clock.frozen
    assert [account.name for account in world.accounts.values()] == [yaml.safe_load(document)["accounts"][0]["name"]]
