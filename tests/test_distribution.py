"""What the package is installed by, and what it says where the server is not installed."""

import json
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import mockserver
from mockserver import ServerMissingError
from mockserver.settings import distribution, needing_server

#: What to do, at the end of every such sentence.
ADVICE = distribution.advice("server")


def extra(name):
    rows = [row for row in metadata.requires("brevo-mockserver") if f"extra == '{name}'" in row.replace('"', "'")]
    return {re.match(r"[\w.-]+", row)[0].lower() for row in rows}


def test_the_bare_package_requires_click_only():
    assert [row for row in metadata.requires("brevo-mockserver") if "extra ==" not in row] == ["click>=8.0"]


def test_package_version_equals_distribution_version():
    assert mockserver.__version__ == metadata.version("brevo-mockserver")


def test_the_requirement_names_the_address_from_which_the_package_is_installed(monkeypatch, tmp_path):
    place = (tmp_path / "my mock").as_uri()
    (tmp_path / "my mock").mkdir()
    git = {"url": "https://git.acme.test/mock", "vcs_info": {"vcs": "git", "commit_id": "abc123"}}
    for recorded, line in [
        (None, "brevo-mockserver[server]"),
        ({"url": place, "dir_info": {"editable": True}}, f"brevo-mockserver[server] @ {place}"),
        (git, "brevo-mockserver[server] @ git+https://git.acme.test/mock@abc123"),
        ({"url": f"{place}/gone-0.1.0-py3-none-any.whl", "archive_info": {}}, None),
    ]:
        if recorded:
            (tmp_path / "direct_url.json").write_text(json.dumps(recorded))
        monkeypatch.setattr(metadata, "distribution", lambda _: metadata.PathDistribution(tmp_path))
        assert distribution.requirement("server") == line

    assert distribution.advice("server") == "; install brevo-mockserver with its extra `server`"


def test_the_requirement_is_the_name_where_the_package_is_not_installed(monkeypatch):
    monkeypatch.setattr(distribution, "NAME", "mockserver-absent")

    assert distribution.requirement("server") == "mockserver-absent[server]"


def test_the_modules_of_the_server_are_one_of_each_distribution_that_the_extra_brings():
    distributions = metadata.packages_distributions()
    brought = [distributions[module][0].lower().replace("_", "-") for module in distribution.SERVER_MODULES]

    assert sorted(brought) == sorted(extra("server"))


def test_server_features_are_refused_without_a_required_module(monkeypatch):
    monkeypatch.setitem(sys.modules, "orjson", None)  # as if it were not installed: to import it raises an error

    with pytest.raises(ServerMissingError) as caught, needing_server("MockServer()"):
        import orjson  # noqa: F401, PLC0415

    assert str(caught.value) == f"MockServer() needs the server, which is not installed here{ADVICE}"
    assert isinstance(caught.value, ImportError)
    assert caught.value.name == "orjson"


def test_a_module_that_is_imported_later_is_missed_too(monkeypatch):
    monkeypatch.setattr(distribution, "SERVER_MODULES", ("flask", "mockserver_absent"))

    with pytest.raises(ServerMissingError) as caught, needing_server("mockserver serve"):
        pass

    assert caught.value.name == "mockserver_absent"


def test_server_features_are_refused_with_unsupported_versions(monkeypatch):
    versions = {"marshmallow": "3.20.2", "Flask": "3.1.3"}
    monkeypatch.setattr("importlib.metadata.version", lambda name: versions.get(name, "9999"))

    with pytest.raises(ServerMissingError) as caught, needing_server("MockServer()"):
        raise AttributeError("old")

    assert "marshmallow 3.20.2, and not " in str(caught.value)
    assert "flask" not in str(caught.value).lower().split("(")[1].split(" ")
    assert str(caught.value).endswith(ADVICE)


def test_versions_are_checked_for_the_extra_that_is_asked_for(monkeypatch):
    lines = ['one>=2; extra == "server"', 'two>=2; extra == "test"', "three>=2"]
    monkeypatch.setattr("importlib.metadata.requires", lambda name: lines)
    monkeypatch.setattr("importlib.metadata.version", lambda name: "1")

    assert list(distribution.unfit("any", "server")) == ["one 1, and not >=2"]


def test_another_error_stays_what_it_is_where_all_is_installed():
    with pytest.raises(KeyError), needing_server("MockServer()"):
        raise KeyError


def test_dependency_version_bounds_are_checked():
    for installed, bounds, fits in [
        ("3.1.3", ">=3.1.3,<3.2", True), ("3.1", ">=3.1.3,<3.2", False), ("3.2", "<3.2,>=3.1.3", False),
        ("3.10.0rc1", ">=3.9", True), ("1.1.2.20261023", ">=1.1.2.20261023", True), ("5.0", "", True),
    ]:  # fmt: skip
        assert distribution._is_within(installed, bounds) == fits  # noqa: SLF001


def test_a_package_that_is_not_installed_has_a_version_all_the_same(tmp_path):
    """Without `site` Python finds the distributions of no environment."""
    (tmp_path / "mockserver").symlink_to(Path(mockserver.__file__).parent)
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import mockserver; print(mockserver.__version__)"

    told = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], check=True, capture_output=True, text=True, timeout=30
    ).stdout

    assert told == "0+unknown\n"
