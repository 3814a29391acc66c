"""The handles that block are those that the coroutines give."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

_SCRIPT = Path(__file__).parents[2] / ".ci" / "synchronous.py"


@pytest.fixture(scope="module")
def script():
    """The names that the script has."""
    return SimpleNamespace(**runpy.run_path(str(_SCRIPT)))


def test_the_handles_that_block_are_up_to_date(script):
    """`python .ci/synchronous.py` writes them anew."""
    there = {file.name: file.read_text(encoding="utf-8") for file in script.TARGET.glob("*.py")}

    assert script.synchronous(script.sources()) == there


def test_every_sentence_that_is_replaced_stands_in_a_coroutine(script):
    assert script.unused(script.sources().values()) == []


def test_no_module_of_the_handles_that_block_speaks_of_await(script):
    texts = {file.name: file.read_text(encoding="utf-8") for file in script.TARGET.glob("*.py")}

    assert [name for name, text in texts.items() if "await" in text or "async with" in text or "loop" in text] == []
