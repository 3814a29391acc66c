"""A replica: one of several servers behind one address, none of which knows the workspaces of another.

It marks the names and keys that it draws with its own name, by which a load balancer leads a request to the replica
that has the workspace, and by which a replica that gets somebody else's request says where it belongs.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mockserver.core.contract.errors import BAD_REQUEST, ServiceError
from mockserver.core.state.keys import replica_of_key
from mockserver.settings.value_types import ReplicaName

#: The header that names the replica for which a request is meant, and in a refusal the one to which it belongs.
REPLICA_HEADER = "X-Mock-Replica"
#: What the header holds in a request that a load balancer has led to any replica, as nothing has named one.
ANY = "*"
#: The status of a request that belongs to another replica: 421 Misdirected Request (RFC 9110, 15.5.20). It is neither
#: 404 nor 401, as the workspace may be there, and clients take those for a mistake of their own.
MISDIRECTED = 421
#: The names that a replica draws, with its mark; see `Replica.drawn_name`.
_DRAWN = re.compile(r"w-([a-z0-9]{1,8})-[0-9a-f]{8}|key-([a-z0-9]{1,8})-[0-9a-f]{12}")


class Replica(NamedTuple):
    """What a server draws as a replica of this name, and what it knows to be of another; without a name it is none."""

    name: str = ""

    def drawn_name(self, kind: str, digits: str) -> str:
        """The name of a workspace, of a kind (`w` or `key`) and drawn digits: `w-a-1f3c9a2b` on the replica `a`."""
        return f"{kind}-{self.name}-{digits}" if self.name else f"{kind}-{digits}"

    def other_of_name(self, workspace: str) -> str | None:
        """The other replica that has drawn the name of a workspace, or None if none has."""
        found = _DRAWN.fullmatch(workspace)
        return None if found is None else self._other(found[1] or found[2])

    def other_of_key(self, key: str) -> str | None:
        """The other replica that has drawn an API key, or None if none has."""
        return self._other(replica_of_key(key))

    def other_of_token(self, mark: object) -> str | None:
        """The other replica that an access token names in its claims, or None if it names none."""
        return self._other(mark) if isinstance(mark, str) and ReplicaName().takes(mark) else None

    def _other(self, mark: str | None) -> str | None:
        return mark if self.name and mark and mark != self.name else None

    def belongs(self, what: str, other: str) -> str:
        """The sentence that says of a thing, such as `the API key`, to which other replica it belongs."""
        return f"This is replica {self.name} of the mock, but {what} belongs to replica {other}"

    def misdirected(self, what: str, other: str) -> ServiceError:
        """The refusal of a request for the service that belongs to another replica, which a header names."""
        error = BAD_REQUEST(self.belongs(what, other), status=MISDIRECTED)
        error.headers = ((REPLICA_HEADER, other),)
        return error
