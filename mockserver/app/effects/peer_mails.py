"""Mails that come in at one server for workspaces that another server of the store holds."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from functools import partial

from mockserver.core.workspaces.keeping import HeldElsewhereError
from mockserver.core.workspaces.store import Store
from mockserver.resources.inbound import model as inbound
from mockserver.web.server.peers.asking import Asking, wherever_held

#: The path of the call by which a server hands a mail to the one that holds its workspace.
PATH = "/peers/mail"


def hand_over(store: Store, asking: Asking, raw: bytes, sender: str, recipient: str) -> None:
    """Have a mail received for a recipient by the server that holds the workspace that gets it; it is kept then.

    Raises:
        KeepingError: it could not be kept, or nobody knows whether it is.
    """
    sent = {"raw": b64encode(raw).decode("ascii"), "sender": sender, "recipient": recipient}
    body = json.dumps(sent).encode()
    here = partial(_receive, store, raw, sender, recipient)
    wherever_held(here, lambda elsewhere: asking.ask(elsewhere, PATH, body))


def answer(store: Store, body: bytes) -> bytes:
    """The answer to the call, which is empty, once the mail is received and kept.

    Raises:
        HeldElsewhereError: another server holds the workspace; nothing was done.
        KeepingError: the mail could not be kept.
    """
    sent = json.loads(body)
    return _receive(store, b64decode(sent["raw"]), sent["sender"], sent["recipient"])


def _receive(store: Store, raw: bytes, sender: str, recipient: str) -> bytes:
    store.keeping.begin()
    held: HeldElsewhereError | None = next((held for _, held in inbound.take(store, raw, sender, [recipient])), None)
    if held is not None:
        raise held
    store.keeping.settle()
    return b""
