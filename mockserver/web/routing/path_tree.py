"""The paths of operations as a tree of segments, in which a request's path is found in one walk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Generic, NamedTuple, Protocol, TypeVar

NO_PARAMS: Mapping[str, str] = MappingProxyType({})


class Addressed(Protocol):
    """What has a method and a path, with parameters in braces: an operation."""

    @property
    def method(self) -> str: ...

    @property
    def path(self) -> str: ...


AddressedT = TypeVar("AddressedT", bound=Addressed)


class Found(NamedTuple, Generic[AddressedT]):
    """The operations at a method and a path, in the order of their declaration, and the values in the path by name."""

    operations: tuple[AddressedT, ...]
    params: Mapping[str, str]


class _Leaf(NamedTuple, Generic[AddressedT]):
    """The end of a path for one method."""

    operations: tuple[AddressedT, ...]
    #: The names of the parameters on the way, in their order.
    names: tuple[str, ...]


class _Node(Generic[AddressedT]):
    """What may follow the same first segments."""

    __slots__ = ("fixed", "leaves", "parameter")

    def __init__(self) -> None:
        self.fixed: dict[str, _Node[AddressedT]] = {}
        self.parameter: _Node[AddressedT] | None = None
        #: By method.
        self.leaves: dict[str, _Leaf[AddressedT]] = {}

    def grow(self, segment: str) -> _Node[AddressedT]:
        """The node behind a segment of a path as an operation declares it; it is made if there is none."""
        if not segment.startswith("{"):
            return self.fixed.setdefault(segment, _Node())
        self.parameter = self.parameter or _Node()
        return self.parameter


class PathTree(Generic[AddressedT]):
    """The paths of operations, by segment.

    A segment that is fixed in the path of an operation is no parameter there: `/v3/senders/ips` is no sender's address,
    whatever the method (contract/senders#getIps). So there is one way through the tree at most.
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
        """The operations at a method and a decoded path, or None if there are none; HEAD finds what GET finds."""
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
