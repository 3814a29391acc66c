"""`mockserver scenarios schema`."""

import json

import jsonschema


def test_it_is_printed(run):
    answer = run("scenarios", "schema")

    assert answer.exit_code == 0
    jsonschema.Draft202012Validator.check_schema(json.loads(answer.stdout))


def test_it_is_written_to_a_file(run, tmp_path):
    path = tmp_path / "scenario.schema.json"

    answer = run("scenarios", "schema", "--output", str(path))

    assert (answer.exit_code, answer.output) == (0, "")
    assert path.read_text(encoding="utf-8") == run("scenarios", "schema").stdout


def test_a_file_that_cannot_be_written_is_misuse(run, tmp_path):
    answer = run("scenarios", "schema", "--output", str(tmp_path / "nowhere" / "schema.json"))

    assert (answer.exit_code, "cannot write" in answer.stderr) == (2, True)
