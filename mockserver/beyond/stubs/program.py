"""What a stub does, once all its templates are parsed and checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

from mockserver.beyond.effects.schemas import ITEMS
from mockserver.beyond.templates.scope import Scope
from mockserver.beyond.templates.value import Each, Reader, Value
from mockserver.beyond.templates.values import Later, Path
from mockserver.core.contract.errors import ALL_CODES, ErrorCode
from mockserver.core.text.spelling import nearest
from mockserver.web.schemas import json_text

#: How many stubs are kept parsed. Chosen: ten times those of the shipped libraries; each takes a megabyte at most.
_KEPT = 256
#: The most parts that all templates of a stub have. Chosen: four times those of the largest shipped stub.
MOST_PARTS = 5_000
#: What says of an action or an effect when, and how often, it is meant.
_TIMES = ("when", "each", "as")


class Refusal(NamedTuple):
    """A refusal: when, and with which error of the service."""

    when: Value
    code: ErrorCode
    message: Value | None


class Answer(NamedTuple):
    """An answer; with a condition it answers whenever that is true."""

    when: Value | None
    status: int
    headers: Mapping[str, Value]
    json: Value | None
    text: Value | None


class Program(NamedTuple):
    """What a stub does."""

    lets: Mapping[str, Value]
    #: The members of the body that there are, or None if it may have any.
    members: frozenset[str] | None
    refusals: Sequence[Refusal]
    #: Those with a condition, then those of the sequence.
    conditional: Sequence[Answer]
    sequence: Sequence[Answer]
    #: Lists of mappings, each as it was written, for what is forgotten, stored and effected.
    forgets: Sequence[Each]
    stores: Sequence[Each]
    effects: Sequence[Each]


@lru_cache(maxsize=_KEPT)
def program_of(written: str) -> Program:
    """The program of a stub that was checked, by how it was written."""
    program, mistakes = read(json_text.read(written.encode()))
    assert not mistakes, f"a stub that was taken is wrong: {mistakes}"
    return program


def read(written: Mapping[str, Any]) -> tuple[Program, list[tuple[Path, str]]]:
    """The program of a stub whose schema has taken it, and what is wrong with its templates, by path."""
    reader = _Reader(written)
    program = reader.program()
    if reader.parts > MOST_PARTS:
        told = f"the templates of a stub may have {MOST_PARTS:,} parts together, and these have {reader.parts:,}"
        reader.mistakes.append((("answers" if "answers" in written else "answer",), told))
    return program, reader.mistakes


class _Reader(Reader):
    """Reads a stub as it was written into a program."""

    def __init__(self, written: Mapping[str, Any]) -> None:
        super().__init__()
        self._written = written
        self._names: frozenset[str] = frozenset()

    def program(self) -> Program:
        lets = dict(self._lets())
        members = self._written.get("members")
        answers = [self._answer(item, place) for place, item in self._answers()]
        return Program(
            lets=lets,
            members=None if members is None else frozenset(members),
            refusals=[self._refusal(item, ("refuse", at)) for at, item in enumerate(self._written.get("refuse", ()))],
            conditional=[answer for answer in answers if answer.when is not None],
            sequence=[answer for answer in answers if answer.when is None],
            forgets=self._actions("forget"),
            stores=self._actions("store"),
            effects=[self._effect(item, ("effects", at)) for at, item in enumerate(self._written.get("effects", ()))],
        )

    def _lets(self) -> Iterator[tuple[str, Value]]:
        """The named values, each of which sees those before it."""
        for name, value in self._written.get("let", {}).items():
            yield name, self.value(value, ("let", name), self._names)
            self._names |= {name}

    def _answers(self) -> list[tuple[Path, Mapping[str, Any]]]:
        if "answer" in self._written:
            if "when" in self._written["answer"]:
                self._wrong(("answer", "when"), "when is only for several answers; use answers instead of answer")
            return [(("answer",), self._written["answer"])]
        found: list[tuple[Path, Mapping[str, Any]]] = [
            (("answers", at), item) for at, item in enumerate(self._written.get("answers", ()))
        ]
        if all("when" in item for _, item in found):
            self._wrong(
                ("answers",), "every answer has when; one must be without it, for requests that no condition fits"
            )
        return found

    def _answer(self, item: Mapping[str, Any], place: Path) -> Answer:
        headers = {
            name: self.value(value, (*place, "headers", name), self._names)
            for name, value in item.get("headers", {}).items()
        }
        return Answer(
            when=self._maybe_condition(item, place),
            status=item.get("status", 200),
            headers=headers,
            json=self._maybe(item, "json", place),
            text=self._maybe(item, "text", place),
        )

    def _refusal(self, item: Mapping[str, Any], place: Path) -> Refusal:
        known = ALL_CODES.get(item["code"])
        status = item.get("status", 400 if known is None else known.status)
        message = item["code"] if known is None else known.message
        return Refusal(
            when=self.condition(item["when"], (*place, "when"), self._names),
            code=ErrorCode(item["code"], status, message),
            message=self._maybe(item, "message", place),
        )

    def _actions(self, member: str) -> list[Each]:
        written = self._written.get(member, ())
        if isinstance(written, dict):
            return [self._timed(written, (member,))]
        return [self._timed(item, (member, at)) for at, item in enumerate(written)]

    def _effect(self, item: Mapping[str, Any], place: Path) -> Each:
        if len([name for name in ITEMS if name in item]) != 1:
            unknown = next((name for name in item if name not in _TIMES), "")
            self._wrong(place, f"an effect has one of the members {', '.join(ITEMS)}; {nearest(unknown, ITEMS)}")
        return self._timed(item, place)

    def _timed(self, item: Mapping[str, Any], place: Path) -> Each:
        """A list of what an action or an effect is once its templates are rendered: none, one, or one for each item."""
        rest = {name: value for name, value in item.items() if name not in _TIMES}
        over: Value
        if "each" in item:
            over, name = self.each(item, "", place, self._names)
        else:
            over, name = self.value([None], place, self._names), _NOBODY
            if "as" in item:
                self._wrong((*place, "as"), "as names the items of each; add each")
        inside = self._names | ({name, "loop"} if "each" in item else frozenset())
        when = self.condition(item["when"], (*place, "when"), inside) if "when" in item else None
        return Each(over, name, self.value(rest, place, inside), when, place)

    def _maybe(self, item: Mapping[str, Any], name: str, place: Path) -> Value | None:
        return self.value(item[name], (*place, name), self._names) if name in item else None

    def _maybe_condition(self, item: Mapping[str, Any], place: Path) -> Value | None:
        return self.condition(item["when"], (*place, "when"), self._names) if "when" in item else None


#: The name of the only item of an action that is meant once; no template can ask for it.
_NOBODY = ""


def scope_of(program: Program, scope: Scope) -> Scope:
    """A scope with the named values of a program, each of which is worked out when it is first asked for."""
    names = dict(scope.names)
    found = scope._replace(names=names)
    names.update({name: Later(partial(value.given, found)) for name, value in program.lets.items()})
    return found
