"""All types that are written down with a workspace, found in the sources, and a digest of what they say."""

import ast
import inspect
import typing
from dataclasses import is_dataclass
from enum import Enum
from hashlib import blake2b
from importlib import import_module
from pathlib import Path

import mockserver
from mockserver.core.state.state import Account
from mockserver.core.time.clock import Timer
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.workspaces.workspace import Origin
from mockserver.resources.registry import PARTS
from mockserver.storage import forms, logs

_PACKAGE = Path(mockserver.__file__).parent
#: The methods of `Tables` that a type of rows is given to.
_GIVEN_A_TYPE = ("table", "timeline", "record", "trace", "rows_of", "timeline_of", "tables")
_FORMS = (
    forms.WorkspaceForm, forms.StateForm, forms.SnapshotForm, Account, Coverage, Exchange, Origin, Timer,
    *(log.form for log in logs.LOGS.values()),
)  # fmt: skip


def row_types():
    """Every type of rows that the package puts into tables, timelines or records, in the order of their names."""
    found = {kind for path in _PACKAGE.rglob("*.py") for kind in _row_types_of(path)}
    found |= {lifecycle.row for lifecycle in PARTS.lifecycles.values()}
    return sorted(found, key=_name)


def _row_types_of(path):
    text = path.read_text()
    if not any(f".{method}(" in text for method in _GIVEN_A_TYPE):  # to parse all files takes seconds
        return []
    calls = [node for node in ast.walk(ast.parse(text)) if _gives_a_type(node)]
    module = import_module(".".join(("mockserver", *path.relative_to(_PACKAGE).with_suffix("").parts)))
    found = (eval(ast.unparse(call.args[0]), vars(module), {}) for call in calls if _is_name(call.args[0], module))
    return [kind for kind in found if isinstance(kind, type)]


def _gives_a_type(node):
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return is_call and node.func.attr in _GIVEN_A_TYPE and len(node.args) == 1


def _is_name(node, module):
    first = ast.unparse(node).partition(".")[0]
    return first.isidentifier() and hasattr(module, first)


def stored_types():
    """All types of rows and forms, and those that they hold."""
    found, left = {}, [*_FORMS, *row_types()]
    while left:
        kind = left.pop()
        if isinstance(kind, type) and kind.__module__.startswith("mockserver") and kind not in found:
            found[kind] = _members(kind)
            left.extend(found[kind].values())
            left.extend(vars(kind).get("__orig_bases__", ()))
        left.extend(typing.get_args(kind))
    return dict(sorted(found.items(), key=lambda item: _name(item[0])))


def _members(kind):
    """The members of a record with their types."""
    is_record = is_dataclass(kind) or hasattr(kind, "_fields")
    return typing.get_type_hints(kind, vars(inspect.getmodule(kind))) if is_record else {}


def digest():
    """A digest of the names and members of all types that are written, which is the same under every Python."""
    lines = [f"{_name(kind)} {_described(kind, members)}" for kind, members in stored_types().items()]
    return blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()


def _described(kind, members):
    """What a type is written as: the members with the texts of their types, or its own."""
    if issubclass(kind, Enum):
        return [member.value for member in kind]
    if not members:
        return [ast.unparse(base) for base in ast.parse(inspect.getsource(kind)).body[0].bases]
    return [(name, _text(kind, name)) for name in members]


def _text(kind, name):
    annotation = next(
        base.__annotations__[name] for base in kind.__mro__ if name in vars(base).get("__annotations__", ())
    )
    return getattr(annotation, "__forward_arg__", annotation)  # of a named tuple it is no text


def _name(kind):
    return f"{kind.__module__}:{kind.__qualname__}"
