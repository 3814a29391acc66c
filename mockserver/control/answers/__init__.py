"""The form of the control API's answers, for its document alone: nothing is loaded or dumped by these.

A call names its own in its declaration; the folder is imported when the document is asked for.
"""

from __future__ import annotations

from typing import Any

from mockserver.control.answers import contract, leaving, traffic, workspace


def schema(name: str) -> Any:
    """The schema that a call names.

    Raises:
        LookupError: there is none.
    """
    for module in (workspace, traffic, leaving, contract):
        if name in vars(module):
            return vars(module)[name]
    raise LookupError(name)
