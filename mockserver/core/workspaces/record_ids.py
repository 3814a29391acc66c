"""The ids of exchanges and e-mails, which go on when a state is put back, so that none is used twice."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping

from mockserver.core.state.randomness import Randomness

_REQUEST, _MAIL, _CALL = "request", "mail", "control call"


class RecordIds:
    """Draws the ids of the requests in the journal, of the e-mails in the mailbox, and of control calls."""

    def __init__(self, seed: int, workspace: str) -> None:
        self._random = Randomness(seed, workspace)

    def request(self) -> str:
        return self._random.uuid(_REQUEST)

    def mail(self) -> str:
        return self._random.uuid(_MAIL)

    def call(self) -> str:
        return self._random.uuid(_CALL)

    @property
    def positions(self) -> Mapping[str, int]:
        """How many ids of each kind were drawn, to be written down."""
        return self._random.positions

    def go_on(self, positions: Mapping[str, int]) -> None:
        """Go on from positions that were written down."""
        self._random.positions.update(positions)

    def follow(self, seed: int) -> None:
        """Draw by another seed from now on, without beginning the count anew."""
        self._random.seed = seed

    def resume(self, draws: MutableMapping[str, int]) -> None:
        """Go on from the positions of these ids in a document, which are removed from its `draws`."""
        for purpose in (_REQUEST, _MAIL):
            if purpose in draws:
                self._random.positions[purpose] = draws.pop(purpose)
