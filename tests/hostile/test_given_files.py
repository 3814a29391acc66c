"""Files that a user names: one without an end is refused within a bound, whatever reads it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from cli_runner import invoke

import mockserver
from mockserver.settings import files

PACKAGE = Path(mockserver.__file__).parent
ENDLESS = "/dev/zero"
#: The modules that read files of our own, or of the system, which nobody names.
READS_ITS_OWN = {
    "beyond/catalogue.py", "cli/initializing.py", "cli/scenarios.py",
    "control/server/documents.py", "control/workspaces/state.py",
    "dashboard/rendering.py", "evidence/fixture.py", "resources/domains/domain.py",
    "settings/distribution.py", "storage/redis_client.py",
    "testing/sessions/artifacts.py", "web/pages/page.py",
}  # fmt: skip


def test_a_file_as_large_as_its_bound_is_read(tmp_path):
    (tmp_path / "file").write_text("a\r\nb")

    assert files.read_text(tmp_path / "file", 4) == "a\nb"


def test_file_above_the_size_limit_is_refused(tmp_path):
    (tmp_path / "file").write_text("12345")

    with pytest.raises(OSError, match="it has more than 4 bytes"):
        files.read_bytes(tmp_path / "file", 4)


@pytest.mark.parametrize(
    "words",
    [
        ("coverage", "--of", f"@{ENDLESS}"), ("app", "create", "--file", ENDLESS),
        ("serve", "--control-token-file", ENDLESS), ("serve", "--tls", "--tls-cert", ENDLESS),
        ("stubs", "from-openapi", ENDLESS),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_command_refuses_a_file_without_an_end(words):
    result = invoke(words)

    assert (result.exit_code in (1, 2), "bytes" in result.stderr) == (True, True), result.stderr


def test_whatever_reads_a_file_that_a_user_names_does_it_within_a_bound():
    readers = {
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob("*.py")
        if ".read_" in (text := file.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and node.attr in ("read_text", "read_bytes")
        if not (isinstance(node.value, ast.Name) and node.value.id == "files")
    }

    assert readers == READS_ITS_OWN
