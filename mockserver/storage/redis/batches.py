"""A batch as the arguments of the script that commits it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mockserver.core.workspaces.keeping import Outline
from mockserver.storage.batch import Batch
from mockserver.storage.outlines import encode
from mockserver.storage.records.changes import Changes, LogChange
from mockserver.storage.records.packing import seal
from mockserver.storage.redis.client import Argument
from mockserver.storage.redis.holdings import Holding


def neutral(outline: Outline) -> Outline:
    """The outline of a workspace that is held: what is due in it is looked after where it is held."""
    return outline._replace(due_at=None, is_busy=False)


def part_field(part: str) -> str:
    """The field in which a part is kept."""
    return f"p:{part}"


def arguments(batch: Batch, held: Mapping[str, Holding]) -> Iterator[Argument]:
    """The arguments; each list begins with its length."""
    yield len(batch.workspaces)
    anew = {outline.name for outline, _ in batch.workspaces}
    yield len(batch.removed)
    for name in batch.removed:
        yield from (name, held[name].token if name in held else "", int(name in anew))
    for outline, changes in batch.workspaces:
        yield from _workspace(outline, changes, held.get(outline.name))
    yield from _counted(_flat({name: seal(value) for name, value in batch.values.items() if value is not None}))
    yield from _counted([name for name, value in batch.values.items() if value is None])
    yield len(batch.counts)
    yield from _flat(batch.counts)


def _workspace(outline: Outline, changes: Changes, holding: Holding | None) -> Iterator[Argument]:
    told = encode(neutral(outline))
    yield outline.name
    yield "" if holding is None else holding.token
    yield seal(encode(outline))
    yield b"" if holding is None or holding.told == told else seal(told)
    yield len(changes.logs)
    fields: dict[str, bytes] = {part_field(name): part for name, part in changes.parts.items()}
    for log in changes.logs:
        yield from (log.name, log.first, _end(log), int(log.anew))
        fields |= {f"e:{log.name}:{position}": entry for position, entry in log.entries if position >= log.first}
    yield from _counted([part_field(name) for name in changes.gone])
    yield from _counted(_flat(fields))


def _end(log: LogChange) -> int:
    """The position after the last entry of a log, as far as its change tells."""
    return max([log.first, *(position + 1 for position, _ in log.entries)])


def _flat(pairs: Mapping[str, Argument]) -> list[Argument]:
    return [argument for pair in pairs.items() for argument in pair]


def _counted(items: Sequence[Argument]) -> Iterator[Argument]:
    yield len(items)
    yield from items
