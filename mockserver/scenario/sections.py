"""Loading the sections of the resources into a workspace, and generating their items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mockserver.beyond.sections import SECTIONED
from mockserver.core.state.identifiers import LAP
from mockserver.core.state.state import Account
from mockserver.core.text.messages import shown
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
    """Load the section of a resource that belongs to no account; yields its mistakes."""
    yield from (_mistake(error) for error in section.load(workspace, data))


def load_section(
    section: Section, workspace: Workspace, account: Account, data: Mapping[str, Any], path: Path
) -> Iterator[Mistake]:
    """Load the section of a resource for an account at a path of the document; yields its mistakes."""
    yield from (_mistake(error, path) for error in section.load(workspace, account, data))


def finish_section(section: Section, workspace: Workspace) -> Iterator[tuple[int, Mistake]]:
    """Finish what a resource has loaded of all accounts; gives what does not fit, and which account has it."""
    yield from ((error.account, _mistake(error)) for error in section.finish(workspace))


def _mistake(error: SectionError, path: Path = ()) -> Mistake:
    return Mistake((*path, *error.path), error.message, taken=isinstance(error, TakenError), wanted=error.wanted)


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
                message = f"a generated item of account {shown(account.name)} conflicts with others: {mistake.message}"
                yield mistake._replace(path=(*path, "generate", name), message=message)
            yield from (mistake for _, mistake in finish_section(section, workspace))
            random.positions[_PEOPLE] = people.count % LAP
