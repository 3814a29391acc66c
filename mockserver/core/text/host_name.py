"""Names of hosts: which of them cannot be anybody else's, as the public DNS has no such names."""

from __future__ import annotations

from ipaddress import ip_address

#: Suffixes that the public DNS does not have: of RFC 6761 and RFC 6762, ICANN's name for private use, and those of
#: services of Kubernetes without and (`cluster.local`) with the name of the cluster.
RESERVED = (".localhost", ".local", ".internal", ".test", ".svc")


def is_address(name: str) -> bool:
    """Whether a name is an IP address, perhaps with a zone."""
    try:
        ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True


def is_private(name: str) -> bool:
    """Whether a name, in lower case, cannot be one of the public DNS: an address, a single label, a reserved suffix."""
    return "." not in name or is_address(name) or name.endswith(RESERVED)
