"""Loading the sections of the resources into a workspace, and generating their items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mockserver.beyond.sections import SECTIONED
from mockserver.core.state.account import Account
from mockserver.core.state.randomness import LAP
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.people import People
from mockserver.resources.resource import Section, WorkspaceSection
from mockserver.resources.section import SectionError, TakenError
from mockserver.scenario.documents.mistakes import Mistake, Path
from mockserver.scenario.schema import generators

#: The purpose of the draws for generated people.
_PEOPLE = "people"


def load_workspace_section(
    section: WorkspaceSection, workspace: Workspace, data: Mapping[str, Any]
) -> Iterator[Mistake]:
    """Load the section of a resource that belongs to no account; yields its mistake, if there is one."""
    try:
        section.load(workspace, data)
    except SectionError as error:
        yield Mistake(error.path, error.message, taken=isinstance(error, TakenError))


def load_section(
    section: Section, workspace: Workspace, account: Account, data: Mapping[str, Any], path: Path
) -> Iterator[Mistake]:
    """Load the section of a resource for an account at a path of the document; yields its mistake, if there is one."""
    try:
        section.load(workspace, account, data)
    except SectionError as error:
        yield Mistake((*path, *error.path), error.message, taken=isinstance(error, TakenError))


def finish_section(section: Section, workspace: Workspace) -> Iterator[tuple[int, Mistake]]:
    """Finish what a resource has loaded of all accounts; gives what does not fit, and which account has it."""
    try:
        section.finish(workspace)
    except SectionError as error:
        yield error.account, Mistake(error.path, error.message, taken=isinstance(error, TakenError))


def generate(workspace: Workspace, wanted: Iterable[tuple[Account, Mapping[str, int], Path]]) -> Iterator[Mistake]:
    """Fill lists of accounts with generated items, behind those that there are; yields the mistakes.

    Each account comes with the number of items by list, and with the path of the mapping that has `generate`.
    """
    random = workspace.state.random
    # One for all accounts: loading the names to choose from takes long.
    people = People(random.seed, random.positions.get(_PEOPLE, 0))
    for account, amounts, path in wanted:
        for name, amount in amounts.items():
            items = [generators()[name](people, workspace, account) for _ in range(amount)]
            section = next(
                resource.section for resource in SECTIONED if resource.section and name in resource.section.generators
            )
            for mistake in load_section(section, workspace, account, {name: items}, ()):
                message = f"a made-up item of account {account.name} does not fit: {mistake.message}"
                yield mistake._replace(path=(*path, "generate", name), message=message)
            section.finish(workspace)
            random.positions[_PEOPLE] = people.count % LAP
