"""Another distribution with the same import package is told of, whichever was installed last."""

import pytest

pytestmark = pytest.mark.slow  # environments are made

EXCLUDE = "brevo-mockserver and mockserver-client exclude each other, as both have the import package `mockserver`"
ADVICE = "pip uninstall -y mockserver-client brevo-mockserver; pip install brevo-mockserver"


@pytest.fixture(scope="session")
def restored(environments, replaced, wheel):
    """An environment with both, where our wheel was installed last."""
    words = ("--no-index", "--no-deps", "--force-reinstall", str(wheel))
    return environments.copy("restored", replaced, lambda found: found.install(*words))


@pytest.fixture(scope="session")
def bereft(environments, replaced):
    """An environment where the other distribution was uninstalled again, and has taken our first file along."""
    return environments.copy("bereft", replaced, lambda found: found.pip("uninstall", "-q", "-y", "mockserver-client"))


@pytest.mark.parametrize("program", ["mockserver", "brevo-mockserver"])
@pytest.mark.parametrize("environment", ["replaced", "bereft"])
def test_a_command_of_a_broken_package_says_what_to_do(request, environment, program):
    ended = request.getfixturevalue(environment).run(program, "health")

    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("Error: ")
    assert EXCLUDE in ended.stderr
    assert ended.stderr.endswith(f"{ADVICE}\n")


def test_a_command_of_a_whole_package_works_and_warns(restored):
    ended = restored.run("mockserver", "--version")

    assert ended.returncode == 0
    assert ended.stdout.startswith("mockserver, version ")
    assert ended.stderr.startswith(f"warning: {EXCLUDE}, and both are installed here; ")


@pytest.mark.parametrize("environment", ["replaced", "restored", "bereft"])
def test_a_run_of_pytest_says_what_to_do(request, environment, tmp_path):
    (tmp_path / "test_it.py").write_text("def test_it(): pass")

    ended = request.getfixturevalue(environment).run("python", "-m", "pytest", cwd=tmp_path)

    assert ended.returncode == 4
    assert EXCLUDE in ended.stderr
    assert ADVICE in ended.stderr


def test_a_run_of_pytest_that_wants_neither_plugin_works(replaced, tmp_path):
    (tmp_path / "test_it.py").write_text("def test_it(): pass")

    ended = replaced.run("python", "-m", "pytest", "-p", "no:mockserver", cwd=tmp_path)

    assert ended.returncode == 0
