"""axe-core, which judges in a browser whether everybody can use a page."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

_SCRIPT = Path(__file__).parents[1] / "browser" / "node_modules" / "axe-core" / "axe.min.js"


@cache
def axe_core():
    """Its script, which gives the page that runs it an object `axe`; without it the test is skipped."""
    if not _SCRIPT.exists():
        pytest.skip("needs axe-core: npm ci --prefix tests/browser")
    return _SCRIPT.read_text(encoding="utf-8")
