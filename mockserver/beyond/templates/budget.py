"""How much the templates of one request may do: steps, and the sizes of values."""

from __future__ import annotations

from typing import Any

from mockserver.beyond.templates.values import BudgetError

#: How many steps the templates of a request may take whose body is empty. Chosen: they take some ten milliseconds.
STEPS = 20_000
#: How many more steps each byte of the body allows, and how many at most. Chosen: a recipient is written in some 40
#: bytes, and the shipped stub that sends takes 200 steps for each; the most take some half a second.
STEPS_A_BYTE, MOST_STEPS = 16, 800_000
#: How many more steps each stored value of the account allows. Chosen: a stub goes through all of them, and may do 40
#: steps for each.
STEPS_A_STORED_VALUE = 40
#: How many characters or values that are looked at in one go count as one step, as it takes about as long.
AT_ONCE = 32
#: The longest text that is made, in characters. Chosen: four times the longest mail that anybody writes by hand.
LONGEST_TEXT = 1_000_000
#: How much a value may hold: each value within it counts, and so do every 32 characters of a text. Chosen: some
#: twenty thousand contacts, or an attachment as large as a request may have.
MOST_HELD = 500_000
#: How many levels a value may have; `web.schemas.fields.Json` takes as many.
DEEPEST = 80


class Budget:
    """What is left for the templates of one request."""

    def __init__(self, body: int = 0, stored: int = 0) -> None:
        """`body` is the number of bytes of the request's body, `stored` that of the values stored in the account."""
        self._steps = self._left = STEPS + min(body * STEPS_A_BYTE + stored * STEPS_A_STORED_VALUE, MOST_STEPS)
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
        self.spend(1 + count // AT_ONCE)

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
            if size > MOST_HELD:
                raise BudgetError(f"a value is as large as {size:,} others, and may be as large as {MOST_HELD:,}")
            if depth > DEEPEST:
                raise BudgetError(f"a value is nested in {depth} levels, the limit is {DEEPEST}")
        return value

    @staticmethod
    def check_length(length: int) -> None:
        """Refuse to make a text of so many characters.

        Raises:
            BudgetError: it would be too long.
        """
        if length > LONGEST_TEXT:
            raise BudgetError(f"a text has {length:,} characters, the limit is {LONGEST_TEXT:,}")

    def _size(self, value: Any) -> tuple[int, int]:
        """How much a value holds, itself included, and in how many levels.

        A value that came from outside has no more levels than JSON may have there, and one that was made here holds
        values that were measured before.
        """
        if isinstance(value, str):
            return 1 + len(value) // AT_ONCE, 0
        if not isinstance(value, list | dict):
            return 1, 0
        return self._sizes.get(id(value)) or self._measured(value)

    def _measured(self, value: list[Any] | dict[str, Any]) -> tuple[int, int]:
        """The size of a list or a mapping that is not known yet; in one plain loop, as most of the time goes here."""
        size, depth = 1, 0
        if isinstance(value, dict):
            size += len(value)
            for name in value:
                size += len(name) // AT_ONCE
        for one in value.values() if isinstance(value, dict) else value:
            if isinstance(one, str):
                size += 1 + len(one) // AT_ONCE
            elif isinstance(one, list | dict):
                inner = self._sizes.get(id(one)) or self._measured(one)
                size += inner[0]
                depth = max(depth, inner[1])
            else:
                size += 1
        found = self._sizes[id(value)] = size, depth + 1
        self._kept.append(value)
        return found
