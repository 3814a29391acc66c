"""YAML parsing with line numbers and limits, event by event: values are counted before they are built.

A document has the values of JSON (core schema of YAML 1.2), and dates and times. Any other value, or one that YAML 1.1
and 1.2 read differently, becomes an `InvalidValue`, so that all mistakes of a document are found together.
"""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from datetime import date, datetime
from functools import cached_property
from typing import Any, NamedTuple

import yaml

from mockserver.core.text.messages import shown
from mockserver.scenario.documents.document import InvalidValue, MappingNode, SequenceNode
from mockserver.scenario.documents.mistakes import Mark, Mistake, Path, ScenarioError
from mockserver.web.schemas import json_text

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # pragma: no cover  # wheels without libyaml
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]  # the same interface

#: The most parts that aliases and merges of a document may repeat, as they make a small text immense. Chosen: far above
#: the shipped scenarios.
_MOST_REPEATED = 50_000
#: The most directives in a document. Chosen: libyaml compares each pair.
_MOST_DIRECTIVES = 20
#: A pair of surrogates, JSON's escape of a character beyond 16 bits, which YAML escapes in another way.
_SURROGATES = re.compile(r"(?<!\\)((?:\\\\)*)(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})")
#: What ends a line of YAML.
_LINE_ENDS = ("\n", "\r", "\x85", "\u2028", "\u2029")
#: The longest number, in characters. Chosen: one of 64 bits is shorter, even in binary with some underscores.
_LONGEST_NUMBER = 200
#: How many characters of a value or a tag a message shows. Chosen: to fit on a line.
_SHOWN = 60

_TAG = "tag:yaml.org,2002:"
#: The tags that a mapping or a sequence may have; `!` asks for the default.
_COLLECTIONS = frozenset({None, "!", f"{_TAG}map", f"{_TAG}seq"})
_TEXTS = frozenset({"!", f"{_TAG}str"})
#: The types of the values of other tags.
_TYPES = {"null": (type(None),), "bool": (bool,), "int": (int,), "float": (float,), "timestamp": (date, datetime)}
#: Stands for a key that merges.
_MERGE: Any = object()
#: Stands for a value on which versions of YAML differ.
_DIFFERS: Any = object()
#: Plain words that are not text in YAML 1.2 or 1.1. `y` and `n` are text, as PyYAML reads them.
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **{form: {"true": True, "false": False}.get(word, _DIFFERS)
       for word in ("true", "false", "yes", "no", "on", "off", "=", "<<")
       for form in (word, word.capitalize(), word.upper())},
}  # fmt: skip
OF_NUMBERS = frozenset("+-.0123456789")
#: Other plain scalars that are not text in YAML 1.2 or 1.1: `differs` are those that PyYAML (1.1), the core schema of
#: 1.2 and js-yaml (1.2) do not all read as the same value, and integers with leading zeros.
NUMBER = re.compile(
    r"""\A(?: (?P<int> [-+]?(?:0|[1-9][0-9]*) | 0x[0-9a-fA-F]+ )
      | (?P<float> (?:[-+]?[0-9]+\.[0-9]* | \.[0-9]+) (?:[eE][-+][0-9]+)? )
      | (?P<special> [-+]?\.(?:inf|Inf|INF) | \.(?:nan|NaN|NAN) )
      | (?P<moment> [0-9]{4}-[0-9]{2}-[0-9]{2} | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2} (?:[Tt]|[ \t]+)
          [0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)? (?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))? )
      | (?P<differs> [-+]? (?: 0b[01_]+ | 0o[0-7_]+ | 0x[0-9a-fA-F_]+ | [1-9][0-9_]*(?::[0-5]?[0-9])+
          | [0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]* | (?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9_]+)(?:[eE][-+]?[0-9]+)? ) )
    )\Z""",
    re.VERBOSE,
)


class Bounds(NamedTuple):
    """Size limits of a document."""

    #: How deep mappings and lists may be nested.
    levels: int = json_text.DEEPEST
    #: How many keys and values there may be; each takes some microseconds, and some hundred bytes.
    parts: int = 1_000_000


_BOUNDS = Bounds()


def parse(text: str, file: str, bounds: Bounds = _BOUNDS, *, called: str = "a scenario") -> MappingNode:
    """Parse a YAML mapping. Messages name the file `file`, and the content `called`."""
    if sum(text.count(f"{end}%") for end in _LINE_ENDS) > _MOST_DIRECTIVES:
        raise _refusal(file, 1, f"too many YAML directives, expected at most {_MOST_DIRECTIVES}")
    if text.lstrip()[:1] == "{" and ("\\ud" in text or "\\uD" in text):
        text = _SURROGATES.sub(lambda found: found[1] + json.loads(f'"{found[2]}"'), text)
    try:
        data = _YamlReader(text, file, bounds).document()
    except yaml.MarkedYAMLError as error:
        if (found := _plain_json(text, file)) is not None:
            return found
        last = max(len(text.rstrip("\r\n").splitlines()), 1)  # the mark of an unfinished text is behind its last line
        line = min(error.problem_mark.line + 1, last) if error.problem_mark else 1
        raise _refusal(file, line, f"not YAML: {error.problem}{_advice(text, line)}") from error
    except yaml.reader.ReaderError as error:
        if (found := _plain_json(text, file)) is not None:
            return found
        # The position of the error is one in a buffer; but the character is the first of its kind.
        before = text.partition(chr(error.character))[0] if isinstance(error.character, int) else ""
        raise _refusal(file, before.count("\n") + 1, f"not YAML: {error.reason}") from error
    except (yaml.YAMLError, UnicodeEncodeError) as error:
        raise _refusal(file, 1, f"not YAML: {error}") from error
    if not isinstance(data, MappingNode):
        raise _refusal(file, 1, f"{called} must be a mapping: got {shown(data)}")
    return data


def _plain_json(text: str, file: str) -> MappingNode | None:
    """Return a JSON object that YAML cannot read, such as one with a long key, without lines; None for other texts."""
    try:
        data = json_text.read(text.rstrip().encode())
    except json_text.JsonError as error:
        if not file.endswith(".json") or text.lstrip()[:1] != "{":  # YAML of another name
            return None
        raise _refusal(file, getattr(error.__cause__, "lineno", 1), f"not JSON: {error}") from error
    return MappingNode.of(data) if isinstance(data, dict) else None


def _advice(text: str, line: int) -> str:
    indented = text.split("\n")[line - 1 : line]
    return "; indent with spaces, not with tabs" if "".join(indented).lstrip(" ").startswith("\t") else ""


def _refusal(file: str, line: int, message: str, path: Path = ()) -> ScenarioError:
    return ScenarioError([Mistake(path, message, Mark(file, line))])


class _Anchored(NamedTuple):
    """An anchored value with its numbers of parts (keys and values) and levels."""

    value: Any
    parts: int
    levels: int


class _YamlReader:
    """Reads one document from YAML parser events."""

    def __init__(self, text: str, file: str, bounds: Bounds) -> None:
        self._text = text
        self._loader: Any = _Loader(text)
        self._file = file
        self._bounds = bounds
        #: By name; None while the value is incomplete.
        self._anchors: dict[str, _Anchored | None] = {}
        self._parts = 0
        self._repeated = 0
        #: The deepest level of the value that is being read.
        self._reached = 0
        self._mark = Mark(file, 1)

    def document(self) -> Any:
        """Return the parsed content."""
        try:
            self._loader.get_event()  # the stream's start
            first = self._loader.get_event()
            first = first if isinstance(first, yaml.StreamEndEvent) else self._loader.get_event()
            if isinstance(first, yaml.StreamEndEvent) or (getattr(first, "value", None) == "" and first.implicit[0]):
                why = "it has nothing but comments" if self._text.strip() else "it is empty"
                raise _refusal(self._file, 1, f"{why}; write {{}} if that is meant")
            found = self._part(first, (), 0)
            self._loader.get_event()  # the document's end
            after = self._loader.get_event()
            if not isinstance(after, yaml.StreamEndEvent):
                raise _refusal(self._file, after.start_mark.line + 1, "not YAML: a second document")
            return found
        finally:
            self._loader.dispose()

    def _part(self, event: Any, path: Path, depth: int) -> Any:
        self._count(event, path)
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, path, depth)
        if event.anchor is None:
            return self._value(event, path, depth)
        parts, reached, self._reached = self._parts, self._reached, depth
        self._anchors[event.anchor] = None
        value = self._value(event, path, depth)
        self._anchors[event.anchor] = _Anchored(value, self._parts - parts + 1, self._reached - depth)
        self._reached = max(reached, self._reached)
        return value

    def _alias(self, event: Any, path: Path, depth: int) -> Any:
        if event.anchor not in self._anchors:
            return InvalidValue(f"unknown anchor &{_cut(event.anchor)}: define it above")
        found = self._anchors[event.anchor]
        if found is None:
            return InvalidValue(f"alias *{_cut(event.anchor)} is inside its own anchor")
        self._descend(event, path, depth + found.levels)
        self._parts += found.parts
        self._repeat(event, path, found.parts)
        return found.value

    def _value(self, event: Any, path: Path, depth: int) -> Any:
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        self._descend(event, path, depth + 1)
        read = self._mapping if isinstance(event, yaml.MappingStartEvent) else self._sequence
        found = read(path, depth + 1)
        return found if event.tag in _COLLECTIONS else InvalidValue(_unsupported(event.tag))

    def _mapping(self, path: Path, depth: int) -> MappingNode:
        found, merged = MappingNode(), []
        while not isinstance(event := self._loader.get_event(), yaml.MappingEndEvent):
            key, mark = self._key(event, path, depth), self._marked(event)
            place = (*path, "?" if key is None else "<<" if key is _MERGE else key)
            inner = self._loader.get_event()
            value = self._part(inner, place, depth)
            if key is _MERGE and _can_merge(value):
                merged.append((inner, value))
                continue
            name = str(place[-1])
            if wrong := _wrong_key(key, found.marks.get(name)):
                value = InvalidValue(wrong)
            elif (name in _WORDS or name[:1] in OF_NUMBERS) and isinstance(event, yaml.ScalarEvent):
                value = read if isinstance(read := self._scalar(event), _Ambiguous) else value
            found[name] = value
            found.marks[name] = mark
        for inner, value in merged:
            self._merge(inner, path, found, value)
        return found

    def _key(self, event: Any, path: Path, depth: int) -> str | None:
        """Return the text of a key, `_MERGE` for a merge key, or None for keys that are not text."""
        self._count(event, path)
        if isinstance(event, yaml.ScalarEvent):
            if event.anchor is not None:
                self._anchors[event.anchor] = _Anchored(self._scalar(event), 1, 0)
            if event.value == "<<" and event.tag is None and event.implicit[0]:
                merge: str = _MERGE
                return merge
            text: str = event.value
            return text
        found = self._part(event, path, depth)
        return found if isinstance(found, str) else None

    def _merge(self, event: Any, path: Path, found: MappingNode, value: Any) -> None:
        """Add members of merged mappings; existing members and earlier mappings win."""
        for lower in [value] if isinstance(value, MappingNode) else value:
            self._repeat(event, path, len(lower))
            for name, inner in lower.items():
                if name not in found:
                    found[name], found.marks[name] = inner, lower.marks[name]

    def _sequence(self, path: Path, depth: int) -> SequenceNode:
        found = SequenceNode()
        while not isinstance(event := self._loader.get_event(), yaml.SequenceEndEvent):
            found.marks.append(self._marked(event))
            found.append(self._part(event, (*path, len(found)), depth))
        return found

    def _scalar(self, event: Any) -> Any:
        tag, text = event.tag, event.value
        if tag is None:
            return self._plain(text) if event.implicit[0] else text
        if tag in _TEXTS:
            return text
        kind, value = tag.removeprefix(_TAG), self._plain(text)
        if kind not in _TYPES:
            return InvalidValue(_unsupported(tag))
        if kind == "float" and type(value) is int:
            return float(value)
        is_right = type(value) in (*_TYPES[kind], InvalidValue, _Ambiguous)
        return value if is_right else InvalidValue(f"not a valid {kind}: got {_cut(text)!r}")

    def _plain(self, text: str) -> Any:
        """Return the value of a plain scalar."""
        if text in _WORDS:
            value = _WORDS[text]
            return value if value is not _DIFFERS else _Ambiguous(text)
        if text[0] in OF_NUMBERS and (found := NUMBER.match(text)):
            return self._number(text, found.lastgroup)
        return text

    def _number(self, text: str, kind: str | None) -> Any:
        """Return the value of a plain scalar by its group of `NUMBER`."""
        if kind == "moment":
            return _moment(self._loader, text)
        if len(text) > _LONGEST_NUMBER:
            return _beyond(text)
        if kind == "int":
            number = int(text, 16 if "x" in text else 10)
            return number if number in json_text.INT64 else _beyond(text)
        if kind == "differs" and not self._is_json:
            return _Ambiguous(text)
        value = math.inf if kind == "special" else float(text)
        return value if math.isfinite(value) else InvalidValue(f"not a number of JSON: got {_cut(text)}")

    @cached_property
    def _is_json(self) -> bool:
        """Whether the whole document is JSON, in which `1e5` is a number."""
        with suppress(json_text.JsonError):
            json_text.read(self._text.encode())
            return True
        return False

    def _count(self, event: Any, path: Path) -> None:
        self._parts += 1
        if self._parts > self._bounds.parts:
            message = f"too many keys and values, expected at most {self._bounds.parts:,}"
            raise _refusal(self._file, event.start_mark.line + 1, message, path)

    def _descend(self, event: Any, path: Path, depth: int) -> None:
        self._reached = max(self._reached, depth)
        if depth > self._bounds.levels:
            message = f"nested too deeply, expected at most {self._bounds.levels} levels"
            raise _refusal(self._file, event.start_mark.line + 1, message, path)

    def _repeat(self, event: Any, path: Path, parts: int) -> None:
        self._repeated += parts
        if self._repeated > _MOST_REPEATED:
            message = f"aliases and merges repeat more than {_MOST_REPEATED:,} parts"
            raise _refusal(self._file, event.start_mark.line + 1, message, path)

    def _marked(self, event: Any) -> Mark:
        line = event.start_mark.line + 1
        if line != self._mark.line:
            self._mark = Mark(self._file, line)
        return self._mark


def _can_merge(value: Any) -> bool:
    return isinstance(value, MappingNode) or (
        isinstance(value, SequenceNode) and all(isinstance(inner, MappingNode) for inner in value)
    )


def _wrong_key(key: str | None, first: Mark | None) -> str | None:
    if key is None:
        return "a key must be a string"
    if key is _MERGE:
        return "<< must have a mapping or a list of mappings"
    return None if first is None else f"duplicate key, first on line {first.line}"


def _moment(loader: Any, text: str) -> Any:
    try:
        return loader.construct_yaml_timestamp(yaml.ScalarNode(f"{_TAG}timestamp", text))
    except (ValueError, OverflowError) as error:
        return InvalidValue(f"not a valid timestamp: got {_cut(text)!r}; {_cut(str(error))}")


class _Ambiguous(InvalidValue):
    """A plain scalar that YAML 1.1 and 1.2 read differently."""

    def __init__(self, text: str) -> None:
        also = ", or a boolean as true or false" if text.isalpha() else ""
        also = ", or a number in decimal digits" if text[0] in OF_NUMBERS else also
        wrong, advice = "ambiguous, as YAML 1.1 and 1.2 differ", f"; write it in quotes{also}"
        super().__init__(f"{wrong}: got {_cut(text)}{advice}", redacted=f"{wrong} (redacted){advice}")


def _beyond(text: str) -> InvalidValue:
    wrong = "number beyond 64 bits"
    message = f'{wrong}: got {_cut(text)}; for a string, write "{_cut(text)}" in quotes'
    return InvalidValue(message, redacted=f"{wrong} (redacted); write it in quotes")


def _unsupported(tag: str) -> str:
    return f"unsupported YAML tag: got {_cut(tag)}, expected a plain value"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
