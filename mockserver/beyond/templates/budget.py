"""How much the templates of one request may do: steps, and the sizes of values."""

from __future__ import annotations

from typing import Any

from mockserver.beyond.templates.values import BudgetError

#: How many steps the templates of a request may take whose body is empty. Chosen: they take some ten milliseconds.
_STEPS = 20_000
#: How many more steps each byte of the body allows, and how many at most. Chosen: a recipient is written in some 40
#: bytes, and a stub may do 300 steps for each; the most take some 400 milliseconds.
_STEPS_A_BYTE, _MOST_STEPS = 8, 800_000
#: How many more steps each stored value of the account allows. Chosen: a stub goes through all of them, and may do 40
#: steps for each.
_STEPS_A_STORED_VALUE = 40
#: How many characters or values that are looked at in one go count as one step, as it takes about as long.
_AT_ONCE = 32
#: The longest text that is made, in characters. Chosen: four times the longest mail that anybody writes by hand.
LONGEST_TEXT = 1_000_000
#: How much a value may hold: each value within it counts, and so do every 32 characters of a text. Chosen: some
#: twenty thousand contacts, or an attachment as large as a request may have.
_MOST_HELD = 500_000
#: How many levels a value may have; `web.schemas.fields.Json` takes as many.
_DEEPEST = 80


class Budget:
    """What is left for the templates of one request."""

    def __init__(self, body: int = 0, stored: int = 0) -> None:
        """`body` is the number of bytes of the request's body, `stored` that of the values stored in the account."""
        self._steps = self._left = _STEPS + min(body * _STEPS_A_BYTE + stored * _STEPS_A_STORED_VALUE, _MOST_STEPS)
        #: How much a list or a mapping holds, and how many levels, by its identity.
        self._sizes: dict[int, tuple[int, int]] = {}
        #: Keeps the values whose size is known: another one could have the identity of one that is gone.
        self._kept: list[Any] = []

    def spend(self, steps: int = 1) -> None:
        """Take steps.

        Raises:
            BudgetError: there are not so many left.
        """
        self._left -= steps
        if self._left < 0:
            raise BudgetError(f"the templates of this request take more than {self._steps:,} steps")

    def look(self, count: int) -> None:
        """Take the steps of looking at so many characters or values in one go.

        Raises:
            BudgetError: there are not so many left.
        """
        self.spend(1 + count // _AT_ONCE)

    def look_through(self, value: Any) -> None:
        """Take the steps of looking at all that a value holds.

        Raises:
            BudgetError: there are not so many left.
        """
        self.spend(self._size(value)[0])

    def made(self, value: Any) -> Any:
        """A value that was made just now, which is measured.

        Raises:
            BudgetError: it is too large, or there are not enough steps left.
        """
        if isinstance(value, str):
            self.look(len(value))
            self.check_length(len(value))
        elif isinstance(value, list | dict):
            self.look(len(value))
            size, depth = self._size(value)
            if size > _MOST_HELD:
                raise BudgetError(f"a value is as large as {size:,} others, and may be as large as {_MOST_HELD:,}")
            if depth > _DEEPEST:
                raise BudgetError(f"a value is nested in {depth} levels, and there may be {_DEEPEST}")
        return value

    @staticmethod
    def check_length(length: int) -> None:
        """Refuse to make a text of so many characters.

        Raises:
            BudgetError: it would be too long.
        """
        if length > LONGEST_TEXT:
            raise BudgetError(f"a text has {length:,} characters, and there may be {LONGEST_TEXT:,}")

    def _size(self, value: Any) -> tuple[int, int]:
        """How much a value holds, itself included, and in how many levels.

        A value that came from outside has no more levels than JSON may have there, and one that was made here holds
        values that were measured before.
        """
        if isinstance(value, str):
            return 1 + len(value) // _AT_ONCE, 0
        if not isinstance(value, list | dict):
            return 1, 0
        found = self._sizes.get(id(value))
        if found is None:
            inner = [*value, *value.values()] if isinstance(value, dict) else value
            sizes = [self._size(one) for one in inner]
            found = 1 + sum(size for size, _ in sizes), 1 + max((depth for _, depth in sizes), default=0)
            self._sizes[id(value)] = found
            self._kept.append(value)
        return found
