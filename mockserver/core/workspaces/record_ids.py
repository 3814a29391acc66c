"""The ids of what a workspace writes down: they go on where its state is put back, so that none comes twice."""

from __future__ import annotations

from collections.abc import MutableMapping

from mockserver.core.state.randomness import Randomness

_REQUEST, _MAIL = "request", "mail"


class RecordIds:
    """Draws the ids of requests and e-mails, which journal and mailbox hold."""

    def __init__(self, seed: int, workspace: str) -> None:
        self._random = Randomness(seed, workspace)

    def request(self) -> str:
        return self._random.uuid(_REQUEST)

    def mail(self) -> str:
        return self._random.uuid(_MAIL)

    def follow(self, seed: int) -> None:
        """Draw by another seed from now on, and go on counting."""
        self._random.seed = seed

    def resume(self, draws: MutableMapping[str, int]) -> None:
        """Take out of the draws of a document how far these ids had come, where it says so, and go on from there."""
        for purpose in (_REQUEST, _MAIL):
            if purpose in draws:
                self._random.positions[purpose] = draws.pop(purpose)
