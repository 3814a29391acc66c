"""E-mails on their way out of a workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockserver.core.traffic.mailbox import Mail, Sending
    from mockserver.core.workspaces.workspace import Workspace


def post(workspace: Workspace, mail: Mail) -> None:
    """Let an e-mail go to a real server too, if one is set, as long as it is one of this workspace.

    It no longer is after a reset, after a return to a moment before it, and when the workspace is gone.
    """
    generation = workspace.mail_generation

    def wanted() -> bool:
        with workspace.lock:
            return workspace.mail_generation == generation or workspace.state.mailbox.find(mail.id) is mail

    def report(sending: Sending) -> None:
        with workspace.lock:
            workspace.state.mailbox.note_sending(mail, sending)
            workspace.watchers.tell("mail")

    workspace.effects.post(mail, report, wanted)
