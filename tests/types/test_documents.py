"""The OpenAPI documents are good for the tools that read them: linters, and a generator of clients."""

import json
import re
from pathlib import Path

import pytest
from typescript import compile_example, needs_generators, run_node, run_package

from mockserver.app.control_api import CONTROL_API
from mockserver.control import openapi as control
from mockserver.evidence import openapi as service

pytestmark = [pytest.mark.slow, needs_generators]  # each program takes seconds

DOCUMENTS = {"openapi.json": service.document, "control.json": lambda: control.document(CONTROL_API.resources)}


@pytest.fixture
def folder(tmp_path):
    """A folder with both documents, and one that refers to what is not there."""
    texts = {name: json.dumps(document(), indent=1) for name, document in DOCUMENTS.items()}
    texts["broken.json"] = texts["control.json"].replace('"$ref": "#/components/schemas/', '"$ref": "#/no/', 1)
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "rules.yaml").write_text('extends: ["spectral:oas"]\n', encoding="utf-8")
    return tmp_path


FILES = (*DOCUMENTS, "broken.json")


def test_redocly_finds_no_error_in_the_documents_and_one_in_a_broken_reference(folder):
    ended = run_package("redocly", "lint", *FILES, "--format", "json", cwd=folder)

    assert re.findall(r'"errors": (\d+)', ended.stdout) == ["0", "0", "1"], ended.stdout


def test_spectral_finds_no_error_in_the_documents_no_missing_scope_and_an_error_in_a_broken_reference(folder):
    options = ("--ruleset", "rules.yaml", "--format", "json", "--quiet")
    ended = run_package("spectral", "lint", *options, *FILES, cwd=folder)
    problems = [(Path(row["source"]).name, row["code"], row["severity"]) for row in json.loads(ended.stdout)]

    assert {(file, code) for file, code, severity in problems if severity == 0} == {("broken.json", "invalid-ref")}
    assert "oas3-operation-security-defined" not in {code for _, code, _ in problems}


def test_generated_client_of_the_control_api_compiles_and_works(tmp_path, serve):
    plugins = ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"]
    compile_example("control", DOCUMENTS["control.json"](), plugins, tmp_path)
    program = "require('./control').codeRunsOut(given).then((found) => console.log(JSON.stringify(found)));"

    assert run_node(program, serve(), tmp_path) == ["validateSenderByOtp: 400"]
