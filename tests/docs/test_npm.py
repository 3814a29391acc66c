"""What the pages print for npm, run as it is printed, in empty folders: packages come from the registry."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from printed import PAGES, ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm, and a registry that it reaches"),
]

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
#: Commands that are about a project of the reader's own, or about a checkout of this one.
OWN = ("npm ci", "npm test", "npx jest`", "npm run")
#: A package of a command that npm fetches, perhaps with its version.
PACKAGE = re.compile(r"(?<= )(?:@[a-z-]+/)?[a-z0-9-]+@\d+\.\d+\.\d+(?= |$)", re.MULTILINE)


def section(page, title):
    """The blocks of a section of a page: language and text."""
    return BLOCK.findall(PAGES[page].partition(f" {title}\n")[2].partition("\n#")[0])


def shell(*scripts, cwd, **environment):
    """What the scripts print, each of which has to end with status 0; there are none of the tests' own packages."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MOCKSERVER_", "PYTEST_"))}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    own = {"PATH": path, "NO_COLOR": "1", "npm_config_yes": "true", "npm_config_fund": "false", "CI": "1"}
    ended = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(scripts)], cwd=cwd, env={**kept, **own, **environment},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


def lines_of_npm():
    """The commands of npm in the blocks of all pages, each with the name of its page."""
    lines = ((name, line) for name, text in PAGES.items() for _, block in BLOCK.findall(text)
             for line in block.splitlines())  # fmt: skip
    return [
        (name, line) for name, line in lines if re.search(r"\bnp[mx] ", line) and not any(own in line for own in OWN)
    ]


def test_each_package_of_a_page_has_the_version_that_the_lock_files_have():
    """So that a new version of a package changes no page by itself; these versions are tested together."""
    locked = {}
    for path in (ROOT / "tests").glob("**/package.json"):
        if "node_modules" not in path.parts:
            content = json.loads(path.read_text(encoding="utf-8"))
            locked |= {**content.get("dependencies", {}), **content.get("devDependencies", {})}
    found = {name: PACKAGE.findall(line) for name, line in lines_of_npm() if "install" in line or "--package" in line}

    assert sorted(found) == ["docs/guides/node.md", "docs/howto/recipes.md", "docs/howto/webhooks.md"]
    for packages in found.values():
        assert packages
        assert [one for one in packages if locked[one.rpartition("@")[0]] != one.rpartition("@")[2]] == []


@pytest.mark.parametrize("runner", ["Vitest", "Jest"])
def test_the_first_test_of_the_guide_for_node_passes_in_an_empty_folder(runner, tmp_path):
    (_, install), (_, configuration), (_, test) = section("docs/guides/node.md", f"With {runner}")
    (tmp_path / f"{runner.lower()}.config.mjs").write_text(configuration, encoding="utf-8")

    output = shell(install, test, cwd=tmp_path)

    assert re.search(r"Tests +1 passed|Tests: +1 passed", output), output


def test_the_typed_client_of_the_guide_for_node_compiles_in_an_empty_folder(tmp_path, serve):
    (_, generate), (_, program) = section("docs/guides/node.md", "A typed client of the control API")
    (tmp_path / "control.ts").write_text(program, encoding="utf-8")

    shell(generate.replace("localhost:8003", serve().removeprefix("http://")), compiled("control"), cwd=tmp_path)


def test_the_typed_receiver_compiles_in_an_empty_folder(tmp_path):
    (_, generate), (_, program), *_ = section("docs/howto/webhooks.md", '<a id="a-typed-receiver"></a>A typed receiver')
    (tmp_path / "receiver.ts").write_text(program, encoding="utf-8")

    shell(generate, compiled("receiver"), cwd=tmp_path)


def compiled(name):
    """A command that compiles a program with the compiler of the page, as strictly as it gets."""
    options = "--strict --noEmit --target es2022 --module esnext --moduleResolution bundler --skipLibCheck"
    return f"npx --package typescript@5.9.3 -- tsc {options} {name}.ts"


def test_the_collections_are_made_and_run_in_an_empty_folder(tmp_path, serve):
    script = next(
        block for _, block in BLOCK.findall(PAGES["docs/howto/recipes.md"]) if "npx openapi2postmanv2" in block
    )
    install = re.search("^# Needs: (npm install .*)$", script, re.MULTILINE)[1]

    shell(install, script, cwd=tmp_path, MOCKSERVER_URL=serve())
