"""What a resource says of its sections and lifecycles holds without these being imported."""

import copy
import subprocess
import sys

import pytest
from state_comparison import difference

from mockserver.core.lazy import LazyModule, lazy
from mockserver.resources.registry import LIFECYCLES, PARTS, RESOURCES
from mockserver.resources.section import counting_from
from mockserver.scenario.documents.library import Library
from mockserver.scenario.load import load
from mockserver.scenario.schema import SECTIONED, owners, scenario_schema, schema_of

#: Imports every module of the resources after asking what the lifecycles do, and prints those that do more by then.
REGISTRATIONS = """
import importlib, pkgutil
from mockserver import resources
from mockserver.resources.registry import LIFECYCLES

def registered():
    return {name: [*row._actions, *row._guards, *row._when_due] for name, row in LIFECYCLES.items()}

for lifecycle in LIFECYCLES.values():
    lifecycle._complete()
before = registered()
for module in pkgutil.walk_packages(resources.__path__, "mockserver.resources."):
    importlib.import_module(module.name)
print([name for name, events in registered().items() if events != before[name]])
"""


def test_a_module_is_imported_when_something_of_it_is_called(tmp_path, monkeypatch):
    (tmp_path / "late_one.py").write_text("def add(one, *, two):\n    return one + two\n")
    (tmp_path / "late_package").mkdir()
    (tmp_path / "late_package" / "rules.py").write_text("from late_one import add\n")
    monkeypatch.syspath_prepend(tmp_path)

    (rules,) = lazy("late_package", "rules")
    add = rules.add
    assert "late_one" not in sys.modules

    assert add(1, two=2) == 3
    assert sys.modules["late_package.rules"].add is add.get()


def test_unknown_name_of_a_lazy_module_is_an_error_when_called():
    (module,) = lazy("mockserver.resources", "people")

    with pytest.raises(AttributeError, match="Nobody"):
        module.Nobody()


def test_listeners_name_existing_transitions():
    for machine, event in PARTS.listeners:
        assert event in {row.event for row in LIFECYCLES[machine].machine.transitions}


def test_lazy_module_can_be_copied():
    (module,) = lazy("mockserver.resources", "people")

    assert isinstance(copy.deepcopy(module), LazyModule)


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: resource.name)
def test_resource_names_the_members_of_its_sections_and_its_machines(resource):
    assert resource.members == set(resource.section.fields)
    assert resource.workspace_members == set(resource.workspace.fields if resource.workspace else ())
    assert [row.machine.name for row in resource.lifecycles] == list(resource.lazy_lifecycles)


def test_a_lifecycle_knows_the_modules_that_register_what_its_events_do():
    found = subprocess.run([sys.executable, "-c", REGISTRATIONS], capture_output=True, text=True, check=True)

    assert found.stdout == "[]\n"


@pytest.mark.parametrize("name", Library().names())
def test_a_document_is_loaded_alike_by_the_schema_of_its_owners_and_by_that_of_all(name):
    document = Library().document(name)
    named = tuple(resource.name for resource in owners(document))

    with counting_from(lambda: load(document, name="any").state.clock.start):
        assert difference(schema_of(named).load(document), scenario_schema().load(document)) is None


def test_a_document_without_rows_has_no_owner():
    assert owners({"seed": 1, "accounts": [{"name": "acme"}]}) == ()


@pytest.mark.parametrize("document", [{"accounts": 7}, {"accounts": ["acme"]}, {"generate": {"senders": 1}}])
def test_wrong_or_generating_document_is_loaded_by_all_resources(document):
    assert owners(document) == SECTIONED
