"""Libraries are imported without compiling patterns that are never used."""

import re
import subprocess
import sys
import types

import pytest

from mockserver.app.lazy_patterns import LazyPattern, lazy_patterns

#: What a program sees of marshmallow after the mock has imported it.
PROGRAM = """
import mockserver.app
import re, sys
from marshmallow import ValidationError, validate

pattern = vars(validate.Email.DOMAIN_REGEX)
print("_compiled" in pattern, validate.Email()("a@bücher.test"), "_compiled" in pattern, type(re.compile("a")).__name__)
try:
    validate.Email()("a@b")
except ValidationError as error:
    print(*error.messages)
"""


@pytest.fixture
def compiled_in():
    """What `re.compile` gives to a module of a name while the patterns of `a_library` are late."""

    def compile_(name):
        module = types.ModuleType(name)
        with lazy_patterns("a_library"):
            exec("import re\nPATTERN = re.compile('(b)c', re.IGNORECASE)", module.__dict__)
        return module.PATTERN

    return compile_


def test_the_pattern_of_a_named_module_is_late_and_works(compiled_in):
    pattern = compiled_in("a_library")

    assert isinstance(pattern, LazyPattern)
    assert (pattern.search("aBC")[1], pattern.sub("-", "aBCd"), pattern.groups) == ("B", "a-d", 1)


def test_patterns_of_other_modules_are_compiled_at_once(compiled_in):
    assert compiled_in("another") == re.compile("(b)c", re.IGNORECASE)


def test_afterwards_no_pattern_is_late(compiled_in):
    before = re.compile
    compiled_in("a_library")

    assert re.compile is before


def test_an_abstract_class_does_not_compile_the_patterns_that_it_holds(compiled_in):
    pattern = compiled_in("a_library")

    assert not hasattr(pattern, "__isabstractmethod__")
    assert "_compiled" not in vars(pattern)


def test_the_validator_of_marshmallow_works_as_ever_after_the_mock_is_imported():
    printed = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout

    assert printed == "False a@bücher.test True Pattern\nNot a valid email address.\n"
