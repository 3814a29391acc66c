"""The sentences of the package follow one rule: standard terms, and no private phrase that only its authors know."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import mockserver

PACKAGE = Path(mockserver.__file__).parent
#: Where reasons, warnings and problem details are made.
FOLDERS = ("beyond", "control", "effects", "resources", "web/endpoints", "web/pages", "web/routing", "web/service")
#: The functions and classes whose arguments a client or a reader of the journal sees.
SAYING = {
    "Problem", "Mistake", "TemplateError", "because", "warn", "of_one", "unknown", "existing", "_failed",
    "_forbidden", "_refused",
}  # fmt: skip
#: Phrases that point instead of naming, or that readers did not understand.
PRIVATE = re.compile(
    r"\b(stands?|there is (none|no|nothing|a)|there are|(is|are) told|in vain|of its own|goes to|is nobody's"
    r"|is none|not there|is gone|is another one|whoever|nothing was done|would take nothing|the body's member)\b"
)


def _sentences(tree):
    """The literal parts of all sentences that a module says, also of those that are put into `reason` before."""
    for node in ast.walk(tree):
        said = []
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            said = node.args if name in SAYING else []
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("reason", "detail", "why"):
            said = [node.value]
        for part in (part for argument in said for part in ast.walk(argument)):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.value


@pytest.mark.parametrize("folder", FOLDERS)
def test_reasons_warnings_and_problems_have_no_private_phrase(folder):
    found = [
        f"{path.relative_to(PACKAGE)}: {text}"
        for path in (PACKAGE / folder).rglob("*.py")
        for text in _sentences(ast.parse(path.read_text(encoding="utf-8")))
        if PRIVATE.search(text)
    ]

    assert found == []
