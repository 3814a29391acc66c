"""An OpenAPI document as nodes that know their place, and its references, of which only local ones are followed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

#: The most references that may lead to each other without anything between. Chosen: far above any use.
_LONGEST_CHAIN = 50

Path = tuple[str | int, ...]


class DocumentError(ValueError):
    """A document is not as its format wants it at one place."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message


class LeftOutError(ValueError):
    """Of a part that is as it should be no stub can be made; the message says why."""


class Node(NamedTuple):
    """A value of a document, and its path there."""

    value: Any
    path: Path

    def members(self) -> Iterator[tuple[str, Node]]:
        """The members of a mapping by their names.

        Raises:
            DocumentError: the value is no mapping.
        """
        for name, value in self.mapping().items():
            yield name, Node(value, (*self.path, name))

    def items(self) -> Iterator[Node]:
        """The items of a list.

        Raises:
            DocumentError: the value is no list.
        """
        if not isinstance(self.value, list):
            raise DocumentError(self.path, "must be a list")
        for index, value in enumerate(self.value):
            yield Node(value, (*self.path, index))

    def get(self, name: str) -> Node | None:
        """A member of a mapping, or None if it has none of this name.

        Raises:
            DocumentError: the value is no mapping.
        """
        found = self.mapping()
        return Node(found[name], (*self.path, name)) if name in found else None

    def mapping(self) -> Mapping[str, Any]:
        """The value, which is a mapping.

        Raises:
            DocumentError: it is none.
        """
        if not isinstance(self.value, dict):
            raise DocumentError(self.path, "must be a mapping")
        return self.value

    def text(self) -> str:
        """The value, which is a text.

        Raises:
            DocumentError: it is none.
        """
        if not isinstance(self.value, str):
            raise DocumentError(self.path, "must be a text")
        return self.value


class Document:
    """An OpenAPI document, read already.

    Raises:
        DocumentError: it is none, or one of another version.
    """

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = Node(root, ())
        version = root.get("openapi")
        if not isinstance(version, str) or not version.startswith(("3.0", "3.1")):
            other = "swagger" if "swagger" in root else "openapi"
            here = "is missing" if other not in root else f"is {root[other]!r:.40}"
            raise DocumentError((other,) if other in root else (), f"must be OpenAPI 3.0 or 3.1; {other} {here}")
        #: Whether members beside a `$ref` count, as they do from 3.1 on.
        self.heeds_siblings = not version.startswith("3.0")

    def resolved(self, node: Node) -> Node:
        """A node, or what its reference leads to.

        Raises:
            DocumentError: the reference leads nowhere, or in a circle.
            LeftOutError: it leads to another document.
        """
        for _ in range(_LONGEST_CHAIN):
            if not isinstance(node.value, dict) or "$ref" not in node.value:
                return node
            node = self.target(Node(node.value["$ref"], (*node.path, "$ref")))
        raise DocumentError(node.path, "this reference leads in a circle")

    def target(self, reference: Node) -> Node:
        """The node to which the text of a reference leads.

        Raises:
            DocumentError: it leads nowhere.
            LeftOutError: it leads to another document.
        """
        text = reference.text()
        if not text.startswith("#"):
            raise LeftOutError(f"{text!r:.80} is another document, and nothing is fetched")
        if text != "#" and not text.startswith("#/"):
            raise LeftOutError(f"{text!r:.80} is no JSON Pointer")
        node = self.root
        for part in unquote(text[1:]).split("/")[1:]:
            node = _step(node, part.replace("~1", "/").replace("~0", "~"), reference)
        return node


def _step(node: Node, part: str, reference: Node) -> Node:
    if isinstance(node.value, dict) and part in node.value:
        return Node(node.value[part], (*node.path, part))
    if isinstance(node.value, list) and part.isascii() and part.isdecimal() and len(part) < 10:
        index = int(part)
        if index < len(node.value):
            return Node(node.value[index], (*node.path, index))
    raise DocumentError(reference.path, f"{reference.value!r:.80} leads nowhere: there is no {part!r:.40}")
