"""What the addresses of OAuth get of their server."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from mockserver.core.contract.operation import Operation
from mockserver.resources.oauth.tokens.signing import Signer


@dataclass(frozen=True, slots=True)
class OAuthParts:
    """What signs tokens, and the operations of the API, which the catalogue of scopes lists."""

    signer: Signer
    operations: Collection[Operation]
