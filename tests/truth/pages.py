"""Members and errors of operations, read from the pages of docs/contract."""

import re
from pathlib import Path
from typing import NamedTuple

from mockserver.evidence.fidelity import CONTRACT

_ROOT = Path(__file__).parents[2]
_PARTS = re.compile(r"<!-- operation (\w+) -->\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
_LISTS = re.compile(r"^(Members|Errors)(?: \((.+)\))?:\n\n((?: *- .+\n)+)", re.MULTILINE)
_LINE = re.compile(r"(?:- (?P<location>\w+)|    - `(?P<path>\S+)`): (?P<text>.+)")
_LIKE = re.compile(
    r"as (?:\[(?P<operation>\w+)\]\(\S+\) )?(?P<location>\w+)(?: `(?P<path>\S+)`)?(?P<optional>, all optional)?"
    r"(?:, without (?P<without>`\S+`(?:, `\S+`)*))?(?:; also (?P<more>.+))?"
)
_NAMES = re.compile(r"(?:(?:\*\*)?`[^`]+`(?:\*\*)?(?:, |$| ))+")
_NAME = re.compile(r"(\*\*)?`([^`]+)`")
_NOTE = re.compile(r"(documented|recorded|proposed|in code, \d+)(?:: (.+))?")
_LINK = re.compile(r"\[[^\]]+\]\(([\w-]*?)(?:\.md)?(#[\w-]+)?\)")
_LIKE_ERRORS = re.compile(r"- as \[(\w+)\]\(\S+\): (.+)")
_ERROR = re.compile(r"- (\d+ `[^`]+`): (.+)")
#: The note of a list without one.
_DEFAULT = "OpenAPI 2026-02"
_TITLES = {
    "OpenAPI 2026-02": "OpenAPI document of February 2026",
    "OpenAPI 2026-09": "OpenAPI document of September 2026",
    "OpenAPI 2024/25": "OpenAPI document of 2024/25",
}


class Note(NamedTuple):
    mark: str
    #: The sources, without the section of the operation.
    sources: frozenset[str]


class Member(NamedTuple):
    is_required: bool
    #: Type and bounds, as they are written.
    form: str
    note: Note


class Operations:
    """All operations of the pages."""

    def __init__(self):
        self._lines = {}
        self.errors = {}
        for path in sorted((_ROOT / CONTRACT).glob("*.md")):
            for name, part in _PARTS.findall(path.read_text(encoding="utf-8")):
                self._read(name, part, path.stem)

    def _read(self, name, part, page):
        self.errors[name] = {}
        for kind, common, lines in _LISTS.findall(part):
            location = ""
            for line in lines.splitlines():
                if kind == "Errors":
                    self._read_error(name, line, common or _DEFAULT, page)
                    continue
                found = _LINE.fullmatch(line)
                location = found["location"] or location
                self._lines[name, location, found["path"] or ""] = (found["text"], common or _DEFAULT, page)

    def _read_error(self, name, line, common, page):
        like = _LIKE_ERRORS.fullmatch(line)
        if like:
            self.errors[name] |= {key: self.errors[like[1]][key] for key in _split(like[2], ", ")}
        else:
            error, text = _ERROR.fullmatch(line).groups()
            self.errors[name][error] = (text, common, page)

    def members(self, operation, location, path=""):
        """Return the members of an object and of the objects within it, by path."""
        text, common, page = self._lines[operation, location, path]
        found = {}
        like = _LIKE.fullmatch(text)
        if like:
            found = self._members_like(operation, like)
            text = like["more"] or ""
        for name, member in _members(text, common, page):
            found = {key: value for key, value in found.items() if key != name and not key.startswith(f"{name}.")}
            found[name] = member
            below = f"{path}.{name}".strip(".")
            if (operation, location, below) in self._lines:
                found |= {f"{name}.{key}": each for key, each in self.members(operation, location, below).items()}
        return found

    def _members_like(self, operation, like):
        found = self.members(like["operation"] or operation, like["location"], like["path"] or "")
        without = [name for _, name in _NAME.findall(like["without"] or "")]
        return {
            name: member._replace(is_required=False) if like["optional"] and "." not in name else member
            for name, member in found.items()
            if name.partition(".")[0] not in without
        }

    def locations(self, operation):
        return [location for name, location, path in self._lines if name == operation and not path]


def _members(text, common, page):
    for sentence in _split(text, ". "):
        parts = _split(sentence, " (")
        written = parts[1].removesuffix(")") if len(parts) > 1 else common
        for group in _split(parts[0], "; "):
            names = _NAMES.match(group)[0]
            form = group.removeprefix(names).strip()
            for star, name in _NAME.findall(names):
                yield name, Member(bool(star), form, note(written, page))


def _split(text, separator):
    """Split a text where the separator is not in brackets, a name or a link."""
    parts, depth, is_name, start = [], 0, False, 0
    for at, sign in enumerate(text):
        if not is_name and depth == 0 and text.startswith(separator, at):
            parts.append(text[start:at])
            start = at + len(separator)
        is_name ^= sign == "`"
        depth += {"(": 1, ")": -1}.get(sign, 0) if not is_name else 0
    return [part for part in (*parts, text[start:]) if part]


def note(text, page):
    """Read a mark and its sources; a source alone is that of a documented fact."""
    found = _NOTE.fullmatch(text)
    mark, sources = (found[1], found[2] or "") if found else ("documented", text)
    for short, title in _TITLES.items():
        sources = sources.replace(short, title)
    cited = _LINK.sub(lambda link: f"{CONTRACT}/{link[1] or page}.md{link[2] or ''}", sources)
    return Note(mark, frozenset(filter(None, cited.split(", "))))
