"""The number of test e-mails in a scenario; the member `campaigns` has the templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from marshmallow import fields, validate

from mockserver.core.state.state import Account
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Section, SectionError, about
from mockserver.resources.templates.model import MOST_TESTS, SentTests, sent_tests


def _load(workspace: Workspace, account: Account, data: Mapping[str, Any]) -> Iterator[SectionError]:
    if "sent_tests" in data:
        tests = account.record(SentTests)
        tests.day, tests.count = workspace.state.clock.now().date(), data["sent_tests"]
    return iter(())


def _dump(workspace: Workspace, account: Account) -> dict[str, Any]:
    count = sent_tests(account, workspace.state.clock.now())
    return {"sent_tests": count} if count else {}


SECTION = Section(
    fields={
        "sent_tests": fields.Integer(
            strict=True,
            validate=validate.Range(0, MOST_TESTS),
            **about("test e-mails of templates and campaigns sent today"),
        )
    },
    load=_load,
    dump=_dump,
    account_members=frozenset({"sent_tests"}),
)
