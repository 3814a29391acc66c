"""What the documents say that marks cite: names of members, statuses and codes, by operation."""

import ast
import importlib.util
import json
import re
from functools import cache
from pathlib import Path

import yaml

from mockserver.resources.registry import API_OPERATIONS, OPERATIONS

_HERE = Path(__file__).parent
_ROOT = _HERE.parents[1]
_CLIENT = Path(importlib.util.find_spec("brevo").origin).parent
_SPECIFICATION = yaml.safe_load((_HERE / "specification.yaml").read_text(encoding="utf-8"))
_STANDARDS = yaml.safe_load((_HERE / "standards.yaml").read_text(encoding="utf-8"))
_SECTIONS = r"[\d.]*\d(?: and [\d.]*\d)*"


def _with_holders(names):
    """Return names, with those of the members that hold them, and without the sign of a list."""
    parts = [name.split(".") for name in names]
    return {".".join(row[:length]).removesuffix("[]") for row in parts for length in range(1, len(row) + 1)}


class February:
    """The OpenAPI document of February 2026; `february.json` has it by method and path."""

    title = re.compile("OpenAPI document of February 2026")

    def __init__(self, found=None):
        rows = json.loads((_HERE / "february.json").read_text(encoding="utf-8"))
        self._rows = {
            operation.id: rows.get(f"{operation.method} {re.sub(r'{.*?}', '{}', operation.path)}", {})
            for operation in API_OPERATIONS.values()
        }

    def names(self, operation, place):
        return _with_holders(self._rows.get(operation, {}).get(place, ()))

    def has_error(self, operation, status, code):
        return status in self._rows.get(operation, {}).get("statuses", ()) and code in _SPECIFICATION["codes"]


class Specification:
    """The specification, or the sections of it that a source names."""

    title = re.compile(rf"specification (?P<sections>{_SECTIONS})")

    def __init__(self, found):
        self._sections = found["sections"].split(" and ")

    def names(self, operation, place):
        rows = [_SPECIFICATION["names"].get(section, {}).get(operation, {}) for section in self._sections]
        return _with_holders(name for row in rows for name in row.get(place, ()))

    def has_error(self, operation, status, code):
        if self._sections == ["7.3"] and operation not in OPERATIONS:
            return February().has_error(operation, status, code)  # 7.3 lists codes: statuses are those of the operation
        declared = status == 400 or operation in _SPECIFICATION["statuses"].get(status, ())
        return operation in OPERATIONS and declared and code in _SPECIFICATION["codes"]


class Client:
    """The client brevo-python 5.1.0, read from its installed source."""

    title = re.compile(r"brevo-python 5\.1\.0")

    def __init__(self, found=None):
        self._shapes, self._methods, self._codes = _client()

    def names(self, operation, place):
        found = self._shapes.get(operation, {}).get(place, {})
        return {name.replace("[][]", "[]").removesuffix("[]") for name in found}

    def has_error(self, operation, status, code):
        return status in self._methods[operation] and code in self._codes


class Standard:
    """A section of a standard, or all that the standard defines."""

    title = re.compile(rf"(?P<name>RFC \d+|OpenID Connect \w+ 1\.0)(?:, (?P<sections>{_SECTIONS}))?")

    def __init__(self, found):
        self._name = found["name"]
        self._sections = found["sections"].split(" and ") if found["sections"] else [*_STANDARDS[self._name]]

    def names(self, operation, place):
        endpoints = _STANDARDS["endpoints"]
        chosen = {
            section for section in self._sections if operation in endpoints.get(f"{self._name}, {section}", [operation])
        }
        found = {name for section in chosen for name in _STANDARDS[self._name].get(section, ())}
        return {*found, *(f"keys[].{name}" for name in found)}

    def has_error(self, operation, status, code):
        return code in self.names(operation, "")


class Pages:
    """Pages of developers.brevo.com, by the errors that they name."""

    title = re.compile(r"OAuth pages of developers\.brevo\.com|page heterogenous-versions-batch-emails")

    def __init__(self, found=None):
        self._errors = _SPECIFICATION["pages"][found[0]]

    def has_error(self, operation, status, code):
        return code in self._errors.get(operation, ())


#: Documents of which the tests have no list of members.
UNREAD = re.compile(
    rf"OpenAPI document of (September 2026|2024/25)|{Pages.title.pattern}|discovery document of oauth\.brevo\.com"
    r"|getbrevo/brevo-cli"
)


def cited(source, *more):
    """Return the documents that a source cites."""
    documents = (February, Specification, Client, Standard, *more)
    return [document(found) for document in documents for found in document.title.finditer(source)]


@cache
def _client():
    spec = importlib.util.spec_from_file_location("triangulate", _ROOT / ".ci" / "triangulate.py")
    triangulate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(triangulate)
    client = triangulate.PythonClient(_CLIENT)
    ids = {method: operation for operation, method in client.methods.items()}
    statuses = {}
    for path in sorted(_CLIENT.glob("**/raw_client.py")):
        resource = _camel(".".join(path.parent.relative_to(_CLIENT).parts))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and f"{resource}.{_camel(node.name)}" in ids:
                operation = ids[f"{resource}.{_camel(node.name)}"]
                statuses[operation] = {int(one) for one in re.findall(r"status_code == (\d+)", ast.unparse(node))}
                client.shapes[operation]["path"] = _path_names(node)
    codes = (_CLIENT / "types" / "bad_request_error_body_code.py").read_text(encoding="utf-8")
    return client.shapes, statuses, set(re.findall(r'"(.+)"', codes))


def _path_names(method):
    names = {node.arg for node in method.args.args}
    calls = (node for node in ast.walk(method) if isinstance(node, ast.Call))
    call = next(node for node in calls if getattr(node.func, "attr", "") in ("request", "stream"))
    found = {node.id for part in call.args for node in ast.walk(part) if isinstance(node, ast.Name)} & names
    return {_camel(name): set() for name in found}


def _camel(name):
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)
