"""Operations' paths as a tree of segments, searched in one walk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Generic, NamedTuple, Protocol, TypeVar

NO_PARAMS: Mapping[str, str] = MappingProxyType({})


class Addressed(Protocol):
    @property
    def method(self) -> str: ...

    @property
    def path(self) -> str: ...


AddressedT = TypeVar("AddressedT", bound=Addressed)


class Found(NamedTuple, Generic[AddressedT]):
    """Operations of a method and path, in declared order, and the path's parameters."""

    operations: tuple[AddressedT, ...]
    params: Mapping[str, str]


class _Leaf(NamedTuple, Generic[AddressedT]):
    operations: tuple[AddressedT, ...]
    #: The names of the parameters on the way, in their order.
    names: tuple[str, ...]


class _Node(Generic[AddressedT]):
    __slots__ = ("fixed", "leaves", "parameter")

    def __init__(self) -> None:
        self.fixed: dict[str, _Node[AddressedT]] = {}
        self.parameter: _Node[AddressedT] | None = None
        #: By method.
        self.leaves: dict[str, _Leaf[AddressedT]] = {}

    def grow(self, segment: str) -> _Node[AddressedT]:
        """Return the node of a declared path's segment, perhaps a new node."""
        if not segment.startswith("{"):
            return self.fixed.setdefault(segment, _Node())
        self.parameter = self.parameter or _Node()
        return self.parameter


class PathTree(Generic[AddressedT]):
    """Operations' paths, by segment.

    A segment that is fixed in any operation's path is no parameter: `/v3/senders/ips` is no sender's address, whatever
    the method (contract/senders#getIps). So at most one way leads through the tree.
    """

    def __init__(self, operations: Iterable[AddressedT]) -> None:
        self._root: _Node[AddressedT] = _Node()
        for operation in operations:
            self._add(operation)

    def _add(self, operation: AddressedT) -> None:
        node, segments = self._root, operation.path.split("/")
        for segment in segments:
            node = node.grow(segment)
        names = tuple(segment[1:-1] for segment in segments if segment.startswith("{"))
        others = node.leaves.get(operation.method)
        leaf = _Leaf((operation,) if others is None else (*others.operations, operation), names)
        node.leaves[operation.method] = leaf

    def find(self, method: str, path: str) -> Found[AddressedT] | None:
        """Return operations of a method (HEAD: GET) and decoded path, or None."""
        node = self._root
        values = []
        for segment in path.split("/"):
            following = node.fixed.get(segment)
            if following is None:
                following = node.parameter
                if following is None or not segment:
                    return None
                values.append(segment)
            node = following
        leaf = node.leaves.get("GET" if method == "HEAD" else method)
        if leaf is None:
            return None
        return Found(leaf.operations, dict(zip(leaf.names, values, strict=True)) if values else NO_PARAMS)
