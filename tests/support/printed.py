"""What README and the pages print: fenced blocks, and commands in blocks and in the text."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in
         (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))}  # fmt: skip
_FENCE = re.compile(
    r"(?m)^(?P<indent> *)(?P<mark>```+)(?P<language>[\w{}-]*)\n(?P<text>(?s:.*?))^(?P=indent)(?P=mark)$"
)
_EXAMPLE = re.compile(r"<!-- example: (\S+) -->\s*\Z")
_OPERATOR = re.compile(r"[;&|()]+|`")
#: Words of a shell after which a command begins.
_KEYWORDS = {"while", "until", "if", "do", "then", "else", "!", "{", "$"}


class Block(NamedTuple):
    """A fenced block of a page, by its number; `example` is its file below tests/examples, if it is one."""

    page: str
    number: int
    language: str
    text: str
    example: str

    @property
    def first(self):
        """The first line that is no comment."""
        return next((line for line in self.text.splitlines() if not line.startswith("#")), "")

    def __str__(self):
        return f"{self.page}-{self.number}"


def _read(page, text):
    return [
        Block(page, number, found["language"], re.sub(rf"(?m)^{found['indent']}", "", found["text"]),
              (_EXAMPLE.search(text[: found.start()]) or ["", ""])[1])
        for number, found in enumerate(_FENCE.finditer(text), 1)
    ]  # fmt: skip


BLOCKS = [block for page, text in PAGES.items() for block in _read(page, text)]


def block(page, start):
    """Return the text of the block of a page whose first line begins like this."""
    (found,) = [row for row in BLOCKS if row.page == page and row.first.startswith(start)]
    return found.text


def shell_blocks():
    """Return the blocks that a reader would type into a shell, of any language."""
    names = {"bash", "console", "sh"}
    return [row for row in BLOCKS if row.language in names or (row.language in ("", "text") and _is_typed(row.first))]


def _is_typed(line):
    return re.match(r"(?:\$ )?(?:mockserver|python3?|pip|docker|npm|npx|curl|pytest) ", line) is not None


def codes(page):
    """Return what a page has in backticks in its text."""
    return re.findall(r"`([^`\n]+)`", _FENCE.sub("", PAGES[page]))


def commands(text):
    """Return the words of each simple command of a script, without redirections and variables before it."""
    found = []
    for line in re.sub(r"\\\n", " ", text).splitlines():
        found += _commands_of(re.sub(r"^\$ |^\s*#.*", "", line))
    return found


def _commands_of(line):
    reader = shlex.shlex(line, posix=True, punctuation_chars=True)
    reader.whitespace_split = True
    try:
        tokens = list(reader)
    except ValueError:  # a quotation of several lines
        return []
    found, words, is_redirected = [], [], False
    for token in [*tokens, ";"]:
        if _OPERATOR.fullmatch(token):
            found += [words] if words else []
            words, is_redirected = [], False
        elif token.startswith(("<", ">")):
            is_redirected = True
        elif not is_redirected and (words or not (token in _KEYWORDS or re.match(r"\w+=", token))):
            words.append(token)
    return found
