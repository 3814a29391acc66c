"""What a release needs beside GitHub: `.ci/release.py`."""

import importlib.util
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

_ROOT = Path(__file__).parents[2]
_spec = importlib.util.spec_from_file_location("release", _ROOT / ".ci" / "release.py")
release = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(release)

_CHANGES = """# Changelog

## 1.1.0 (unreleased)

- Something to come.

## 1.0.0 (2026-11-23)

### Added

- The first thing.

## 0.9.0 (2026-10-01)

- An older thing.
"""


@pytest.fixture
def project(tmp_path):
    """A factory of projects of a version."""

    def make(version, changes=_CHANGES):
        (tmp_path / "pyproject.toml").write_text(f'[project]\nversion = "{version}"\n', encoding="utf-8")
        (tmp_path / "CHANGELOG.md").write_text(changes, encoding="utf-8")
        return tmp_path

    return make


def test_the_notes_of_a_release_are_its_section_of_the_changelog(project, capsys):
    release.notes(project("1.0.0"), "v1.0.0")

    assert capsys.readouterr().out == "### Added\n\n- The first thing.\n"


def test_the_last_section_reaches_to_the_end(project, capsys):
    release.notes(project("0.9.0"), "v0.9.0")

    assert capsys.readouterr().out == "- An older thing.\n"


@pytest.mark.parametrize(
    ("version", "tag", "sentence"),
    [
        ("1.0.0", "v1.0.1", "the tag v1.0.1 is not v1.0.0, the version in pyproject.toml"),
        ("1.0.0", "1.0.0", "the tag 1.0.0 is not v1.0.0, the version in pyproject.toml"),
        ("1.1.0", "v1.1.0", "CHANGELOG.md does not say on which day 1.1.0 was released, but (unreleased)"),
        ("2.0.0", "v2.0.0", "CHANGELOG.md has no section 2.0.0"),
    ],
)
def test_a_tag_that_is_no_release_is_refused(project, version, tag, sentence):
    with pytest.raises(release.Unfit) as caught:
        release.check(project(version), tag)

    assert str(caught.value) == sentence


def test_a_version_without_a_word_is_refused(project):
    with pytest.raises(release.Unfit, match=r"says nothing of 1\.0\.0"):
        release.check(project("1.0.0", "## 1.0.0 (2026-11-23)\n\n## 0.9.0 (2026-10-01)\n\n- Older.\n"), "v1.0.0")


def test_the_program_refuses_with_the_sentence():
    """The version that stands here is either not released, or has another name than this tag."""
    run = subprocess.run(
        [sys.executable, _ROOT / ".ci" / "release.py", "check", "v0.0.0"], capture_output=True, text=True, check=False
    )

    assert run.returncode == 1
    assert run.stderr.startswith("the tag v0.0.0 is not v")


@pytest.mark.slow  # it takes seconds
def test_two_builds_give_the_same_wheel_and_source(tmp_path, capsys):
    release.build(_ROOT, tmp_path / "dist")

    printed = capsys.readouterr().out.split()[1::2]
    assert printed == sorted(path.name for path in (tmp_path / "dist").iterdir())
    wheel, source = sorted((tmp_path / "dist").iterdir(), key=lambda path: path.suffix, reverse=True)
    with zipfile.ZipFile(wheel) as files:
        assert "mockserver/testing/container.py" in files.namelist()
    with tarfile.open(source) as files:
        assert any(name.endswith("/pyproject.toml") for name in files.getnames())


def test_builds_that_differ_are_refused(tmp_path, monkeypatch):
    digests = iter([{"a.whl": "1", "a.tar.gz": "2"}, {"a.whl": "1", "a.tar.gz": "3"}])
    monkeypatch.setattr(release, "_build", lambda *_: next(digests))

    with pytest.raises(release.Unfit, match=r"two builds differ: \['a\.tar\.gz'\]"):
        release.build(_ROOT, tmp_path)


def test_a_folder_with_files_in_it_is_refused(tmp_path):
    (tmp_path / "old.whl").touch()

    with pytest.raises(release.Unfit, match="is not empty"):
        release.build(_ROOT, tmp_path)


def test_control_document_of_a_release_is_that_of_a_server_with_an_address(api, tmp_path):
    release.control(_ROOT, str(tmp_path / "control.json"))

    written = json.loads((tmp_path / "control.json").read_text(encoding="utf-8"))
    assert written == {**api.get("/_mock/control.json").json, "servers": [{"url": "http://localhost:8003"}]}


def test_release_on_github_has_the_control_document_beside_the_distributions():
    jobs = yaml.safe_load((_ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))["jobs"]
    steps = {name: [step.get("run", "") for step in job.get("steps", ())] for name, job in jobs.items()}

    assert "python .ci/release.py control control.json" in "".join(steps["distributions"])
    assert re.search(r"gh release create .* dist/\* control\.json ", steps["notes"][-1])
