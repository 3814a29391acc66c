"""The users who can sign in: those of all accounts of a workspace."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from typing import NamedTuple

from mockserver.core.state.state import Account, User
from mockserver.core.text.addresses import equals_address
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.activities import model as activities
from mockserver.resources.oauth.apps import App, accounts_for


class Person(NamedTuple):
    """A user of an account."""

    account: Account
    user: User

    @property
    def value(self) -> str:
        """The value that names the person in the form of the sign-in page."""
        return f"{self.account.id} {self.user.email}"


def people(workspace: Workspace, app: App) -> Iterator[Person]:
    """All users, those first who may authorize the app."""
    for account in accounts_for(workspace, app):
        for user in account.users:
            yield Person(account, user)


def chosen(workspace: Workspace, app: App, value: str) -> Person | None:
    """The person whom the form of the sign-in page names, or None."""
    return next((person for person in people(workspace, app) if person.value == value), None)


def named(workspace: Workspace, app: App, email: str) -> Person | None:
    """The user with this e-mail address, or None; one who may authorize the app comes before others."""
    is_wanted = equals_address(email)
    return next((row for row in people(workspace, app) if is_wanted(row.user.email)), None)


def with_password(caller: AnonymousCaller, app: App, email: str, password: str) -> Person | None:
    """The user with this e-mail address and password, or None; a failed attempt is logged as an activity.

    A user without a password in the scenario takes any but an empty one.
    Of several users with the address, it is the first one whose password is right.
    """
    is_wanted = equals_address(email)
    same = [row for row in people(caller.workspace, app) if is_wanted(row.user.email)]
    if not same or not password:
        return None
    found = next((row for row in same if _is_right(row.user.password, password)), None)
    if found is None:
        account, user = same[0]
        activities.log(caller.workspace, account, activities.LOGIN_FAILED, caller.visit, user.email)
    return found


def _is_right(known: str | None, password: str) -> bool:
    return known is None or hmac.compare_digest(password.encode(), known.encode())


def note(caller: AnonymousCaller, person: Person) -> None:
    """Log as an activity that a user has signed in."""
    activities.log(caller.workspace, person.account, activities.LOGIN, caller.visit, person.user.email)
