"""`mockserver init`: a project gets a scenario and a first test that passes."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from mockserver.cli import initializing

SCENARIO, SCHEMA, TEST = (
    "tests/scenarios/product.yaml",
    "tests/scenarios/scenario.schema.json",
    "tests/test_mockserver.py",
)


@pytest.fixture
def project(tmp_path):
    """A factory of folders with some files: the path of each, and its content."""

    def made(**files):
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return tmp_path

    return made


def files_in(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def follow(folder, answer):
    """Run the project's test by the command that the answer tells."""
    (command,) = [line.split() for line in answer.stdout.splitlines() if line.startswith("  python -m ")]
    return subprocess.run(
        [sys.executable, *command[1:]], cwd=folder, capture_output=True, text=True, timeout=50, check=False
    )


def test_an_empty_folder_gets_a_scenario_its_schema_and_a_test_that_passes(project, run):
    folder = project()

    answer = run("init", str(folder))

    assert (answer.exit_code, files_in(folder)) == (0, [SCENARIO, SCHEMA, TEST])
    assert [line.partition(":")[0] for line in answer.stdout.splitlines()[:3]] == [
        f"wrote {file}" for file in (SCENARIO, SCHEMA, TEST)
    ]
    passed = follow(folder, answer)
    assert (passed.returncode, "1 passed" in passed.stdout) == (0, True), passed.stdout


def test_a_project_with_tests_of_unittest_gets_one_beside_them_that_passes(project, run):
    folder = project(**{"test/__init__.py": "", "test/test_own.py": "import unittest\n"})

    answer = run("init", str(folder))

    assert "test/test_mockserver.py" in files_in(folder)
    assert "import pytest" not in (folder / "test" / "test_mockserver.py").read_text()
    passed = follow(folder, answer)
    assert (passed.returncode, passed.stderr.endswith("OK\n")) == (0, True), passed.stderr


def test_the_line_that_installs_names_what_is_installed_here(project, run, monkeypatch):
    monkeypatch.setattr(initializing, "requirement", lambda extra: f"brevo-mockserver[{extra}] @ file:///my%20mock")

    answer = run("init", str(project()))

    assert "  pip install 'brevo-mockserver[server] @ file:///my%20mock'" in answer.stdout.splitlines()


def test_no_line_installs_a_package_whose_source_is_gone_as_in_the_image(project, run, monkeypatch):
    monkeypatch.setattr(initializing, "requirement", lambda extra: None)

    answer = run("init", str(project()))

    assert (answer.exit_code, "pip install" in answer.stdout, "  python -m " in answer.stdout) == (0, False, True)


def test_init_keeps_existing_files_unchanged(project, run):
    own = {SCENARIO: "description: Mine.\n", TEST: "def test_mine(): pass\n"}
    folder = project(**own)

    answer = run("init", str(folder))

    assert {path: (folder / path).read_text() for path in own} == own
    assert answer.stdout.splitlines()[:3] == [
        f"left {SCENARIO} as it was",
        f"wrote {SCHEMA}: by which editors help to write scenarios",
        f"left {TEST} as it was",
    ]
    before = files_in(folder)
    assert run("init", str(folder)).exit_code == 0
    assert files_in(folder) == before


@pytest.mark.parametrize(
    ("files", "runner"),
    [
        ({}, "pytest"),
        ({"tests/test_own.py": "from unittest import TestCase\n"}, "unittest"),
        ({"test_own.py": "import unittest\n"}, "unittest"),
        ({"tests/test_own.py": "from django.test import TestCase\n"}, "unittest"),
        ({"tests/test_own.py": "import unittest\nimport pytest\n"}, "pytest"),
        ({"tests/test_own.py": "import unittest\n", "pyproject.toml": "[tool.pytest.ini_options]\n"}, "pytest"),
        ({"tests/test_own.py": "import unittest\n", "requirements-dev.txt": "pytest\n"}, "pytest"),
        ({"tests/test_own.py": "import unittest\n", "tests/conftest.py": ""}, "pytest"),
        ({"tests/test_own.py": "def test(): pass\n", "pyproject.toml": "\udcff"}, "pytest"),
        ({"package.json": "{}", "pyproject.toml": ""}, "pytest"),
    ],
)
def test_the_test_is_for_what_the_project_uses(project, run, files, runner):
    folder = project(**{path: text for path, text in files.items() if text != "\udcff"})
    if "\udcff" in files.values():
        (folder / "pyproject.toml").write_bytes(b"\xff")

    assert f"for {runner}\n" in run("init", str(folder)).stdout


@pytest.mark.parametrize(
    ("package", "runner"),
    [
        ({"devDependencies": {"vitest": "4"}}, "vitest"),
        ({"devDependencies": {"jest": "30"}}, "jest"),
        ({"jest": {"preset": "ts-jest"}}, "jest"),
    ],
)
def test_a_project_with_vitest_or_jest_gets_a_test_and_files_that_start_a_server(project, run, package, runner):
    folder = project(**{"package.json": json.dumps(package)})

    answer = run("init", str(folder))

    helpers = [f"tests/mockserver/{name}.mjs" for name in ("serve", "server", "workspace", runner)]
    written = [*helpers, "tests/mockserver.test.js", SCENARIO, SCHEMA]
    assert files_in(folder) == sorted(["package.json", *written])
    assert f"wrote tests/mockserver.test.js: a first test, for {runner}" in answer.stdout.splitlines()


def test_a_project_in_javascript_gets_the_scenario_and_is_told_how_to_start_a_server(project, run):
    folder = project(**{"package.json": "{}"})

    answer = run("init", str(folder))

    assert files_in(folder) == ["package.json", SCENARIO, SCHEMA]
    assert "  mockserver serve --scenarios tests/scenarios --scenario product &" in answer.stdout.splitlines()
    assert "/_mock/workspaces', {method: 'POST'}" in answer.stdout


def test_the_scenario_is_well_and_its_first_line_leads_editors_to_the_schema(project, run):
    folder = project()
    run("init", str(folder))

    text = (folder / SCENARIO).read_text()
    place = text.splitlines()[0].removeprefix("# yaml-language-server: $schema=")
    schema = json.loads(((folder / SCENARIO).parent / place).read_text())
    document = json.loads(run("scenarios", "show", str(folder / SCENARIO), "--json").stdout)
    jsonschema.validate(document, schema)
    assert document["accounts"][0]["name"] == "acme"
    assert run("scenarios", "check", str(folder / SCENARIO)).exit_code == 0


def test_init_uses_the_current_folder_by_default(project, run, monkeypatch):
    monkeypatch.chdir(project())

    assert run("init").exit_code == 0
    assert Path(TEST).exists()


def test_where_a_file_cannot_be_written_a_sentence_says_so(project, run):
    folder = project(tests="a file\n")

    answer = run("init", str(folder))

    assert (answer.exit_code, answer.stderr.startswith("cannot write ")) == (1, True)
