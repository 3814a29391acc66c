"""What is generated of an OpenAPI document in TypeScript, and compiled."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
MODULES = _ROOT / "tests" / "types" / "node_modules"
EXAMPLES = _ROOT / "tests" / "examples"
needs_generators = pytest.mark.skipif(
    not (MODULES / "@hey-api").exists() or shutil.which("node") is None,
    reason="needs what is generated: npm ci --prefix tests/types",
)
#: As strict as it gets, as a program that Node runs without a bundler.
_TSC = ("--strict", "--module", "commonjs", "--target", "es2022", "--esModuleInterop", "--skipLibCheck")


def run_package(name, *arguments, cwd):
    """The ended process of a package's program, without telemetry and news."""
    own = {"NO_COLOR": "1", "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    return subprocess.run(
        [MODULES / ".bin" / name, *arguments], cwd=cwd, env={**os.environ, **own},
        capture_output=True, text=True, check=False, timeout=250,
    )  # fmt: skip


def compile_example(name, document, plugins, folder):
    """Generate `generated/` of a document, and compile an example that imports it, to JavaScript in the folder."""
    (folder / "node_modules").symlink_to(MODULES)
    (folder / "document.json").write_text(json.dumps(document), encoding="utf-8")
    shutil.copy(EXAMPLES / f"{name}.ts", folder)
    options = ("-i", "document.json", "-o", "generated", "-p", *plugins)
    for program, arguments in {"openapi-ts": options, "tsc": (*_TSC, f"{name}.ts")}.items():
        ended = run_package(program, *arguments, cwd=folder)
        assert ended.returncode == 0, ended.stdout + ended.stderr


def run_node(program, given, cwd):
    """What a program prints as JSON; it gets what is given as the constant `given`."""
    text = f"const given = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n{program}"
    ended = subprocess.run(
        ["node", "--eval", text], cwd=cwd, input=json.dumps(given), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)
