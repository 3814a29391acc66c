"""An author who makes many mistakes is told of all of them at once, each with its line, its value and what is right."""

import re

import pytest
from cli_runner import invoke
from tables import tables

from mockserver import MockServer, MockServerError
from mockserver.scenario.documents.library import Library
from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.scenario.load import load

#: The parametrized cases by test.
CASES = tables(__file__)

#: Mistakes by what they are: lines of a scenario, and for each error the line among these with what is said of it.
#: No two have a section in common, so that they can stand in one file.
MISTAKES = {name: tuple(row) for name, row in CASES["mistakes"].items()}


def errors_of(path):
    with pytest.raises(ScenarioError) as error:
        load(Library().read(str(path)), name="test")
    return str(error.value).replace(f"{path.parent}/", "").splitlines()


def expected(names):
    """The text of a scenario with these mistakes, and the beginnings of the lines that are said of them."""
    texts, lines = [], []
    first = 1
    for name in names:
        text, errors = MISTAKES[name]
        texts.append(text)
        lines += [f"mine.yaml:{first + line - 1}: {message.format(first=first)}" for line, message in errors]
        first += text.count("\n") + 1
    return "\n".join(texts) + "\n", lines


def assert_begin(found, beginnings):
    assert len(found) == len(beginnings), "\n".join(found)
    missing = [begin for begin in beginnings if not any(line.startswith(begin) for line in found)]
    assert missing == [], "\n".join(found)


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_alone_has_its_line_and_sentence(tmp_path, name):
    text, lines = expected([name])
    (tmp_path / "mine.yaml").write_text(text)

    assert_begin(errors_of(tmp_path / "mine.yaml"), lines)


def test_all_mistakes_together_are_all_reported(tmp_path):
    text, lines = expected(MISTAKES)
    (tmp_path / "mine.yaml").write_text(text)

    assert_begin(errors_of(tmp_path / "mine.yaml"), lines)


def test_mistake_that_hides_the_rest_has_its_line_and_sentence(tmp_path):
    for text, line in [
        (
            "accounts:\n\t- {name: a}\n",
            "mine.yaml:2: not YAML: found character that cannot start any token; indent with",
        ),
        ("extends: mine\n", "mine.yaml:1: extends: circular extends: mine > mine"),
    ]:
        (tmp_path / "mine.yaml").write_text(text)
        with pytest.raises(ScenarioError) as error:
            load(Library(tmp_path).read("mine"), name="test")
        assert str(error.value).replace(f"{tmp_path}/", "").startswith(line)


def messages(lines):
    return sorted(re.sub(r"^\S*?:?\d+: ", "", line) for line in lines)


def test_check_start_and_control_api_report_the_same_errors(tmp_path, api):
    text, _ = expected(MISTAKES)
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    wanted = messages(errors_of(path))

    checked = invoke(["scenarios", "check", str(path)])
    assert (checked.exit_code, messages(checked.stdout.splitlines())) == (1, wanted)

    for call in ("/_mock/workspaces", "/_mock/reset"):
        answer = api.post(call, json={"yaml": text})
        shown = [f"{place(row['path'])}: {row['message']}" for row in answer.json["errors"]]
        assert (answer.status_code, messages(shown)) == (400, wanted)

    with pytest.raises(MockServerError) as error, MockServer(scenario=str(path)):
        pass
    assert messages(str(error.value).removeprefix("400: ").splitlines()) == wanted


def place(pointer):
    return re.sub(r"/(\d+)", r"[\1]", pointer).replace("/", ".").lstrip(".")


@pytest.mark.parametrize(("text", "lines"), CASES["consequence_of_a_mistake_is_not"])
def test_consequence_of_a_mistake_is_not_reported(tmp_path, text, lines):
    (tmp_path / "mine.yaml").write_text(text)

    assert_begin(errors_of(tmp_path / "mine.yaml"), lines)


def test_references_are_checked_against_the_scenario_that_was_probably_meant(tmp_path):
    (tmp_path / "mine.yaml").write_text("extends: corporate-v3\naccounts: [{name: s, role: sub_account, of: nobody}]\n")

    assert_begin(
        errors_of(tmp_path / "mine.yaml"),
        [
            "mine.yaml:1: extends: unknown scenario 'corporate-v3'; did you mean corporate-v",
            "mine.yaml:2: accounts[0].of: no account of role master is named 'nobody'",
        ],
    )


def test_errors_beyond_a_hundred_are_counted():
    items = [{"name": "A", "email": "a@b.test"}] * 150

    with pytest.raises(ScenarioError) as error:
        load({"senders": items}, name="test")

    lines = str(error.value).splitlines()
    assert len(lines) == 101
    assert lines[-1] == "too many errors: 49 more"
