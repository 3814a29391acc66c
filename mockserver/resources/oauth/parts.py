"""The component of an application that the operations of OAuth need."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from mockserver.core.contract.operation import Operation
from mockserver.resources.oauth.tokens.signing import Signer


class OAuthParts(NamedTuple):
    """The signer of tokens, and the operations of the API, which the catalogue of scopes lists."""

    signer: Signer
    operations: Collection[Operation]
