"""docs/reference/python.md names what users import, and what that leads to, in Markdown that reads as a file."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import mockserver
from mockserver.testing import arguments, handles, records
from mockserver.views.record import is_record

_PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
_SETTINGS = (Path(__file__).parents[2] / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
#: The text below the heading of each class.
_PARTS = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", _PAGE, re.DOTALL | re.MULTILINE))


def classes(package):
    """The public classes that the modules of a package define, by their names."""
    modules = [import_module(f"{package.__name__}.{row.name}") for row in iter_modules(package.__path__)]
    found = [kind for module in modules for kind in vars(module).values() if inspect.isclass(kind)]
    own = [kind for kind in found if kind.__module__.startswith(f"{package.__name__}.") and kind.__name__[0] != "_"]
    return {kind.__name__: kind for kind in own if not kind.__module__.endswith(".link")}


def shows(part, name):
    """Whether a part lists an attribute with its type, alone or with others of the type."""
    return re.search(rf"^- (?:.*)`(?:\w+, )*{name}(?:, \w+)*: [^`]+`", part, re.MULTILINE) is not None


#: Classes that no attribute and no function of the page leads to.
_INTERNAL = {"LocalServer", "Leaving"}
_HANDLES = {name: kind for name, kind in classes(handles).items() if name not in _INTERNAL}
_RECORDS = {name: kind for name, kind in vars(records).items() if is_record(kind)}
_FUNCTIONS = sorted(
    (kind, name)
    for kind, value in _HANDLES.items()
    for name, function in inspect.getmembers(value, inspect.isfunction)
    if not name.startswith("_")
)


@pytest.mark.parametrize("name", mockserver.__all__)
def test_page_names_every_export(name):
    assert re.search(rf"\b{name}\b", _PAGE)


def test_page_has_a_part_for_every_class_of_handles_and_records():
    assert {*_HANDLES, *_RECORDS} <= _PARTS.keys()


@pytest.mark.parametrize("name", sorted(_INTERNAL))
def test_page_leads_to_no_class_that_it_leaves_out(name):
    assert name in classes(handles)
    assert not re.search(rf"\b{name}\b", _PAGE)


@pytest.mark.parametrize(("kind", "name"), _FUNCTIONS)
def test_page_shows_the_signature_of_every_function(kind, name):
    shown = re.search(
        rf"^(?:- `)?[\w.]+\.{name}(\((?:(?!^```).)*?\))(?: -> ([^`\n]+))?(?:`: |\n```)",
        _PARTS[kind],
        re.DOTALL | re.MULTILINE,
    )
    found = ast.parse(f"def shown{shown[1]}: ...").body[0].args
    returned = inspect.signature(getattr(_HANDLES[kind], name)).return_annotation
    declared = inspect.getfullargspec(getattr(_HANDLES[kind], name))

    assert (shown[2] or "None") == returned
    assert [row.arg for row in found.args] == [name for name in declared.args if name != "self"]
    assert [row.arg for row in found.kwonlyargs] == declared.kwonlyargs
    assert [ast.literal_eval(row) for row in found.defaults] == [*(declared.defaults or ())]
    assert found.kwarg is None if declared.varkw is None else found.kwarg.arg == declared.varkw


@pytest.mark.parametrize("kind", [*_HANDLES.values(), *_RECORDS.values()], ids=lambda kind: kind.__name__)
def test_page_shows_every_attribute_of_a_class(kind):
    properties = [name for name, value in vars(kind).items() if isinstance(value, property)]
    names = [name for name in (*properties, *getattr(kind, "__annotations__", ())) if not name.startswith("_")]

    assert [name for name in names if not shows(_PARTS[kind.__name__], name)] == []


def test_page_of_settings_shows_every_setting_of_a_server():
    names = [name.replace("_", "-") for name in arguments.ServerSettings.__annotations__]

    assert [name for name in names if f"- `--{name}`, " not in _SETTINGS] == []


@pytest.mark.parametrize(
    "kind",
    [kind for kind in vars(arguments).values() if hasattr(kind, "__total__") and kind is not arguments.ServerSettings],
)
def test_page_shows_every_keyword_argument(kind):
    own = [name for name in kind.__annotations__ if name not in arguments.AppChange.__annotations__]

    assert [name for name in own if not shows(_PARTS[kind.__name__], name)] == []


def test_page_has_no_directives_of_sphinx():
    assert "eval-rst" not in _PAGE
    assert ".. auto" not in _PAGE
