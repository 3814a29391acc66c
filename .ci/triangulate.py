"""Compares names and types of the newest official clients with the OpenAPI document of the mock.

`python .ci/triangulate.py` needs node, `npm ci --prefix tests/types`, and indexes of Python and JavaScript packages.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mockserver.evidence.openapi import document

#: The types of all members by their paths, such as `senders[].id`.
Shape = dict[str, set[str]]
#: The shapes of what operations take and answer, by id and by place: query, body, request (any of both), answer.
Shapes = dict[str, dict[str, Shape]]

_ROOT = Path(__file__).parents[1]
#: The page with the names that are known to differ.
PAGE = _ROOT / "docs" / "truth" / "not-there.md"
_TYPESCRIPT = _ROOT / "tests" / "types" / "node_modules" / "typescript"
_NAMED = {
    "str": "string", "int": "number", "float": "number", "bool": "boolean", "Any": "any", "date": "string",
    "datetime": "string",
}  # fmt: skip


def _note(found: Shape, path: str, *types: str) -> None:
    found.setdefault(path, set()).update(types)


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


# ---------------------------------------------------------------------- the client for Python


class PythonClient:
    """The methods of `brevo-python`, read from its source."""

    def __init__(self, folder: Path) -> None:
        #: Fields of models by class and name on the wire, and what aliases stand for.
        self._models: dict[str, dict[str, ast.expr]] = {}
        self._aliases: dict[str, ast.expr] = {}
        #: The names of methods, as `senders.getSenders`, by operation.
        self.methods: dict[str, str] = {}
        self.shapes: Shapes = {}
        trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.py"))}
        for tree in trees.values():
            self._learn(tree)
        ids = {(method.upper(), _blank(path)): found["operationId"] for method, path, found in _operations(document())}
        for path, tree in trees.items():
            if path.name == "raw_client.py":
                self._read(tree, ".".join(path.parent.relative_to(folder).parts), ids)

    def _learn(self, tree: ast.Module) -> None:
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                rows = [row for row in node.body if isinstance(row, ast.AnnAssign) and isinstance(row.target, ast.Name)]
                if any("Model" in _last(base) for base in node.bases):
                    self._models[node.name] = {_alias(row): row.annotation for row in rows}
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self._aliases[node.targets[0].id] = node.value

    def _read(self, tree: ast.Module, resource: str, ids: Mapping[tuple[str, str], str]) -> None:
        clients = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name.startswith("Raw")]
        for method in clients[0].body:
            if not isinstance(method, ast.FunctionDef) or method.name.startswith("_"):
                continue
            call = next((node for node in ast.walk(method) if isinstance(node, ast.Call) and _is_request(node)), None)
            if call is None:
                continue
            given = {keyword.arg: keyword.value for keyword in call.keywords}
            verb = given["method"]
            path = f"/v3/{_text(call.args[0])}" if call.args else "/v3"
            found = ids.get((_text(verb), path))
            if found is None:
                continue
            self.methods[found] = f"{_camel(resource)}.{_camel(method.name)}"
            types = {argument.arg: argument.annotation for argument in (*method.args.args, *method.args.kwonlyargs)}
            self.shapes[found] = {
                "query": self._members(given.get("params"), types),
                "body": self._members(given.get("json"), types),
                "answer": self._answer(method),
            }

    def _members(self, value: ast.expr | None, types: Mapping[str, ast.expr | None]) -> Shape:
        """Return the shape of a dictionary of arguments."""
        found: Shape = {}
        if isinstance(value, ast.Dict):
            for name, argument in zip(value.keys, value.values, strict=True):
                if isinstance(name, ast.Constant):
                    self._shape(_hint(argument, types), str(name.value), found)
        elif value is not None:
            self._shape(_hint(value, types), "", found)
        return found

    def _answer(self, method: ast.FunctionDef) -> Shape:
        found: Shape = {}
        if isinstance(method.returns, ast.Subscript) and _last(method.returns.value) == "HttpResponse":
            self._shape(method.returns.slice, "", found)
        return found

    def _shape(self, hint: ast.expr | None, path: str, found: Shape, depth: int = 0) -> None:
        if depth > 20:
            return
        match hint:
            case ast.Constant(value=str(text)):
                self._shape(ast.parse(text, mode="eval").body, path, found, depth + 1)
            case ast.Constant() | None:
                pass
            case ast.Subscript(value=value, slice=inner):
                self._generic(_last(value), inner, path, found, depth + 1)
            case ast.Name() | ast.Attribute():
                name = _last(hint)
                if name in self._models:
                    _note(found, path, "object")
                    for member, annotation in self._models[name].items():
                        self._shape(annotation, _below(path, member), found, depth + 1)
                elif name in self._aliases:
                    self._shape(self._aliases[name], path, found, depth + 1)
                else:
                    _note(found, path, _NAMED.get(name, "any"))

    def _generic(self, name: str, inner: ast.expr, path: str, found: Shape, depth: int) -> None:
        arguments = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        if name in ("Optional", "Annotated"):
            self._shape(arguments[0], path, found, depth)
        elif name == "Union":
            # A choice is written as one of the known texts, or anything.
            known = [argument for argument in arguments if _last(argument) != "Any"]
            for argument in known:
                self._shape(argument, path, found, depth)
        elif name == "Literal":
            _note(
                found, path, *(_NAMED[type(row.value).__name__] for row in arguments if isinstance(row, ast.Constant))
            )
        elif name in ("List", "Sequence"):
            _note(found, path, "array")
            self._shape(arguments[0], f"{path}[]", found, depth)
        else:
            _note(found, path, "object")
            _note(found, _below(path, "*"), "any")


def _hint(value: ast.expr, types: Mapping[str, ast.expr | None]) -> ast.expr | None:
    """Return the type of the argument that an expression sends."""
    return next((types[node.id] for node in ast.walk(value) if isinstance(node, ast.Name) and node.id in types), None)


def _alias(row: ast.AnnAssign) -> str:
    """Return the name of a field on the wire."""
    for node in ast.walk(row.annotation):
        if isinstance(node, ast.Call) and _last(node.func) == "FieldMetadata":
            return str(next(word.value.value for word in node.keywords if isinstance(word.value, ast.Constant)))
    assert isinstance(row.target, ast.Name)
    return row.target.id


def _is_request(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in ("request", "stream")


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _text(node: ast.expr) -> str:
    """Return a path with `{}` for its parameters."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return str(node.value) if isinstance(node, ast.Constant) else ""


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)


# ---------------------------------------------------------------------- the client for Node


def node_shapes(folder: Path, methods: Mapping[str, str]) -> Shapes:
    """Return the shapes of `@getbrevo/brevo`, whose methods have the names of those of the client for Python."""
    command = ["node", str(Path(__file__).with_suffix(".mjs")), str(folder), str(_TYPESCRIPT)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603  # a constant
    found = json.loads(ended.stdout)
    return {
        operation: {
            place: {_unwrapped(path): set(types) for path, types in shape.items() if path != "body"}
            for place, shape in found[method].items()
        }
        for operation, method in methods.items()
        if method in found
    }


def _unwrapped(path: str) -> str:
    """Return the path of a member of a body that a method takes as one argument, `body`."""
    return path.removeprefix("body.")


# ---------------------------------------------------------------------- our document


def _blank(path: str) -> str:
    return re.sub(r"{\w+}", "{}", path)


def _operations(found: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    for path, methods in found["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


class OurOperation:
    """The shapes of an operation of our document, and the marks of the evidence of its members."""

    def __init__(self, found: Mapping[str, Any], operation: Mapping[str, Any]) -> None:
        self._schemas = found["components"]["schemas"]
        self.marks: dict[tuple[str, str], str] = {}
        self.shapes: dict[str, Shape] = {"query": {}, "body": {}, "answer": {}, "path": {}}
        #: Whether an answer has members: if it has a body, that is JSON.
        self.has_members = True
        for row in operation.get("parameters", ()):
            mark = row.get("x-fidelity") or row["schema"].get("x-fidelity", "")
            self._add(row["schema"], row["in"], row["name"], mark)
        if "requestBody" in operation:
            self._add(operation["requestBody"]["content"]["application/json"]["schema"], "body", "", "")
        for status, answer in operation["responses"].items():
            if status.startswith("2") and "content" in answer:
                # What is no JSON, bytes, is some object of a client.
                media = answer["content"].get("application/json", {"schema": {}})
                self.has_members = bool(media["schema"])
                self._add(media["schema"], "answer", "", "")
        self.shapes["request"] = {"": {"object"}}
        for place in ("path", "query", "body"):
            for path, types in self.shapes[place].items():
                _note(self.shapes["request"], path, *types)

    def _add(self, schema: Mapping[str, Any], place: str, path: str, mark: str) -> None:
        mark = schema.get("x-fidelity", mark)
        if "$ref" in schema:
            self._add(self._schemas[schema["$ref"].rpartition("/")[2]], place, path, mark)
            return
        found = self.shapes[place]
        self.marks.setdefault((place, path), mark)
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else types
        parts = [part for name in ("anyOf", "oneOf") for part in schema.get(name, ())]
        for part in parts:
            self._add(part, place, path, mark)
        known = ["number" if name == "integer" else name for name in types if name != "null"]
        _note(found, path, *(known or ([] if parts else ["any"])))
        for name, inner in schema.get("properties", {}).items():
            self._add(inner, place, _below(path, name), "")
        if "items" in schema:
            self._add(schema["items"], place, f"{path}[]", mark)


# ---------------------------------------------------------------------- the comparison


def differences(found: Mapping[str, Any], clients: Mapping[str, Shapes], known: set[tuple[str, str]]) -> list[str]:
    """Return a line for each difference between a document and clients, except for names that are known."""
    lines: list[str] = []
    for _, _, operation in _operations(found):
        name, ours = operation["operationId"], OurOperation(found, operation)
        theirs = {client: shapes[name] for client, shapes in clients.items() if name in shapes}
        if not theirs:
            lines.append(f"{name}: no client has this operation")
        for client, shapes in theirs.items():
            lines += [
                f"{name}, {row} ({client})"
                for row in _theirs(ours, shapes, {path for key, path in known if key == name})
            ]
        lines += [
            f"{name}, {row}"
            for row in _ours_only(ours, list(theirs.values()), {path for key, path in known if key == name})
        ]
    return lines


def _theirs(ours: OurOperation, shapes: Mapping[str, Shape], known: set[str]) -> Iterator[str]:
    """Yield names that a client has and we lack, and names with another type."""
    for place, shape in shapes.items():
        if place == "answer" and not ours.has_members:
            continue
        lacked: list[str] = []
        for path, types in sorted(shape.items()):
            if path.endswith("*") or _is_known(path, known) or any(_is_below(path, other) for other in lacked):
                continue
            own = ours.shapes[place].get(path)
            if own is None and path.endswith("[]") and place in ("query", "request"):
                continue  # a list in a query, which our document has as a text with commas
            if own is None:
                lacked.append(path)
                yield f"{place}: we lack {path}, {_named(types)}"
            elif not own & types and "any" not in own | types:
                yield f"{place}: {path} is {_named(own)}, and for the client {_named(types)}"


def _ours_only(ours: OurOperation, theirs: Sequence[Mapping[str, Shape]], known: set[str]) -> Iterator[str]:
    """Yield names that no client has and for which there is no evidence."""
    for place in ("query", "body", "answer"):
        shapes = [shape for shapes in theirs for name, shape in shapes.items() if name in (place, "request")]
        names = {path for shape in shapes for path in shape}
        for path in ours.shapes[place]:
            is_open = any(name.endswith("*") and _is_below(path, name.removesuffix("*").rstrip(".")) for name in names)
            is_shared = not path or path in names or is_open or _is_known(path, known)
            if not is_shared and ours.marks.get((place, path)) in ("", "proposed"):
                yield f"{place}: only we have {path}, and no evidence is recorded"


def _is_below(path: str, other: str) -> bool:
    return path != other and (not other or path.startswith((f"{other}.", f"{other}[")))


def _is_known(path: str, known: set[str]) -> bool:
    return any(path == name or _is_below(path, name) for name in known)


def _named(types: set[str]) -> str:
    return " or ".join(sorted(types))


def known_names(page: str) -> set[tuple[str, str]]:
    """Return the operations and names in the table of names that are known to differ."""
    table = page.partition("<!-- known names -->")[2].partition("<!-- end -->")[0]
    found = set()
    for line in table.splitlines()[3:]:
        cells = [re.findall(r"`([^`]+)`", cell) for cell in line.strip("| ").split(" | ")]
        found |= {(operation, name) for operation in cells[0] for name in cells[1]}
    return found


def newest(folder: Path) -> tuple[Path, Path]:
    """Fetch the newest client for Python and for Node, and return their folders."""
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--target",
        str(folder / "python"),
        "brevo-python",
    ]
    npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder / "node"), "@getbrevo/brevo"]
    for command in (pip, npm):
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603  # constants
    return folder / "python" / "brevo", folder / "node" / "node_modules" / "@getbrevo" / "brevo"


def read_clients(python: Path, node: Path) -> dict[str, Shapes]:
    """Return the shapes of both clients by name."""
    client = PythonClient(python)
    return {"brevo-python": client.shapes, "@getbrevo/brevo": node_shapes(node, client.methods)}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        python, node = newest(Path(folder))
        (installed,) = python.parent.glob("brevo_python-*.dist-info")
        versions = [installed.stem.partition("-")[2], json.loads((node / "package.json").read_text("utf-8"))["version"]]
        clients = read_clients(python, node)
    lines = differences(document(), clients, known_names(PAGE.read_text(encoding="utf-8")))
    compared = sum(len(shape) for shapes in clients.values() for places in shapes.values() for shape in places.values())
    for line in lines:
        print(line)  # noqa: T201  # a program prints
    titles = " and ".join(map(" ".join, zip(clients, versions, strict=True)))
    print(f"{titles}: {compared} names compared, {len(lines)} differ")  # noqa: T201  # see above
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
