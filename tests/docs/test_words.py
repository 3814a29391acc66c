"""Pages, helps and messages have plain words: none of those that a stranger has to read twice."""

import ast
import re
from pathlib import Path

import pytest
from printed import PAGES, ROOT

#: "A name stands for a value" is plain; whatever else stands has a verb of its own.
_WORDS = re.compile(r"\bis told\b|\bstands\b(?! for\b)|\bnot to be had\b|\ban own\b|\bthe one that\b", re.IGNORECASE)
_PACKAGE = ROOT / "mockserver"
_MODULES = sorted(_PACKAGE.rglob("*.py"))
_SHOWN = sorted(path for kind in ("html", "js", "txt") for path in _PACKAGE.rglob(f"*.{kind}"))
#: What only a reader of the source sees: comments of templates and of scripts.
_COMMENT = re.compile(r"\{#.*?#\}|/\*.*?\*/|^\s*(?://|#).*$", re.DOTALL | re.MULTILINE)


def texts(path):
    """Return the texts of a module that a user sees: literals, and the docstrings of commands, which are helps."""
    source = path.read_text(encoding="utf-8")
    if not riddles(source):
        return []
    tree = ast.parse(source)
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    scopes = [node for node in ast.walk(tree) if isinstance(node, kinds)]
    are_helps = path.is_relative_to(_PACKAGE / "cli")
    documented = {
        id(node.body[0].value)
        for node in scopes
        if ast.get_docstring(node) is not None and not (are_helps and getattr(node, "decorator_list", ()))
    }
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [node.value for node in found if id(node) not in documented]


def riddles(text):
    return [found[0] for found in _WORDS.finditer(re.sub(r"\s+", " ", text))]


@pytest.mark.parametrize("page", PAGES)
def test_page_has_plain_words(page):
    assert riddles(PAGES[page]) == []


def test_helps_and_messages_have_plain_words():
    found = {str(path): riddles(text) for path in _MODULES for text in texts(path) if riddles(text)}
    found |= {str(path): riddles(_COMMENT.sub("", path.read_text(encoding="utf-8"))) for path in _SHOWN}

    assert {Path(path).relative_to(ROOT).as_posix(): words for path, words in found.items() if words} == {}


@pytest.mark.parametrize(
    "text", ["nobody is told", "it stands there", "that is not\nto be had", "an own port", "the one that waits"]
)
def test_words_that_are_avoided_are_found(text):
    assert riddles(text)
