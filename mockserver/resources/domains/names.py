"""The names of domains that a workspace knows: those of its accounts, and those that only its DNS has."""

from __future__ import annotations

from mockserver.core.text.addresses import ascii_form, unicode_form
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.domains.dns_view import DnsView
from mockserver.resources.domains.domain import Domain


def known_names(workspace: Workspace, part: str = "") -> list[str]:
    """The names that have `part` in them, in either spelling and without regard to case, in no order.

    The cost grows with the number of names, and for a part that is not ASCII with that of the international ones.
    """
    found = dict.fromkeys(workspace.state.rows_of(DnsView))
    for _, rows in workspace.state.tables(Domain):
        found |= dict.fromkeys(rows)
    if not part:
        return list(found)
    lowered, encoded = part.strip().lower(), ascii_form(part)
    if part.isascii():
        return [name for name in found if lowered in name]
    # A part of a label is not a part of the label's ASCII form.
    return [name for name in found if encoded in name or lowered in unicode_form(name)]
