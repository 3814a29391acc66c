"""Looking at a store in Redis, beside the servers that use it: nothing is held by that, and nothing changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mockserver.core.workspaces.keeping import Outline
from mockserver.storage.errors import DamagedError
from mockserver.storage.redis import replies
from mockserver.storage.redis.address import Address
from mockserver.storage.redis.client import Client, Script
from mockserver.storage.redis.engine import FORMAT
from mockserver.storage.redis.reader import Reader, refuse
from mockserver.storage.redis.sentences import told

_SURVEY, _SIZES = Script("survey"), Script("sizes")
#: How many seconds an answer may take. Chosen: nobody else waits for a command.
_ANSWER_S = 30.0
#: Of how many workspaces the sizes are asked for at once, so that no server waits for long.
_AT_ONCE = 50


class Survey(NamedTuple):
    """What a store says of itself, and who uses it."""

    layout: str
    #: Who has written it, as `mockserver 0.1.0`.
    writer: str
    #: The addresses of the servers that live.
    servers: Sequence[str]
    #: All workspaces, the one written longest ago first.
    outlines: Sequence[Outline]
    #: The addresses of the servers that hold some of them, by name.
    holders: Mapping[str, str]


class Inspection(Reader):
    """A store in Redis that a command looks at."""

    def __init__(self, url: str, *, layout: str = "") -> None:
        """Prepare to look at the store of an address: of a layout, or of any.

        Raises:
            EngineError: the address is none.
        """
        super().__init__(Client(Address.of(url), timeout_s=_ANSWER_S), layout=layout)

    def survey(self) -> Survey:
        """What the store says of itself.

        Raises:
            EngineError: it cannot be read, or is of another format.
        """
        _, (written_format, layout, writer, places, rows) = self._run(_SURVEY)
        if written_format != b"%d" % FORMAT:
            refuse(self.place, [b"format", written_format, writer])
        with told(self.place):
            outlines = [replies.outline(name, content) for name, content, _ in rows]
        holders = {name.decode(): place.decode() for name, _, place in rows if place}
        return Survey(layout.decode(), writer.decode(), sorted(place.decode() for place in places), outlines, holders)

    def sizes(self, names: Sequence[str]) -> Mapping[str, int]:
        """How many bytes are held of each of some workspaces.

        Raises:
            EngineError: nobody can tell.
        """
        found: dict[str, int] = {}
        for at in range(0, len(names), _AT_ONCE):
            some = names[at : at + _AT_ONCE]
            found |= zip(some, self._run(_SIZES, *some)[1], strict=True)
        return found

    def damages(self) -> Sequence[str]:
        """A sentence if what the servers share beside workspaces is damaged; none if it is sound.

        Raises:
            EngineError: the store cannot be read, for another reason.
        """
        try:
            self.values()
            self.survey()
        except DamagedError as error:
            return [str(error)]
        return []
