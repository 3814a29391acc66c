"""Nothing that a caller sends is matched by a pattern that takes more than linear time."""

from __future__ import annotations

import ast
import contextlib
import importlib
import re
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from marshmallow import ValidationError

import mockserver
from mockserver.beyond.replacements import Replacements
from mockserver.core.text.addresses import domain_of
from mockserver.core.time import duration
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.traffic.match import LONGEST_GLOB, Glob, Match
from mockserver.resources import section
from mockserver.resources.inbound import mail, reply
from mockserver.views import redaction
from mockserver.web.schemas import fields

PACKAGE = Path(mockserver.__file__).parent


def compiled_patterns():
    """Yield every compiled pattern of the package, by its module and its name."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        if path.name not in ("__main__.py", "__init__.py"):
            module = importlib.import_module(f"mockserver.{name}")
            yield from (f"{name}:{key}" for key, value in vars(module).items() if isinstance(value, re.Pattern))


PATTERNS = list(compiled_patterns())
#: The functions and classes that use others; those that stand in them as texts are tried.
USES = {
    "evidence.fixture:_matches",
    "dashboard.pages.requests:_statuses",
    "beyond.stubs.schema:StoreItem",
    "beyond.stubs.schema:StubItem",
    "cli.logs:_passes",  # the glob of whoever has called the command
    "control.openapi:_of_path",
    "control.traffic.mailbox:MailFilter",
    "control.openapi:operation_id",
    "core.text.host_names:_plain",
    "core.text.host_names:_without_port",
    "scenario.dump:",
    "settings.declaration:public_root",  # a setting
    "web.service.credentials:_FORMS",  # one after the other on at most 500 characters
    "views.redaction:__init__",  # the secrets of a workspace as they are, one or another
    "control.framework.inputs:name",  # a name of the store's
    "core.text.email_text:_address",
    "core.text.email_text:_name_boundaries",
    "core.traffic.match:__init__",  # a glob, of bounded length: it is tried below
    "effects.smtp_client:sentence",
    "resources.campaigns.section:CampaignItem",
    "resources.domains.section:_code",
    "resources.inbound.section:InboundFileItem",  # one of the above
    "resources.oauth.section:_CREDENTIAL",
    "resources.section:_deserialize",
    "resources.sending.schemas:UuidPath",
    "core.time.duration:_parts",
    "core.time.duration:is_duration",
    "core.text.addresses:_local_part",
    "resources.contacts.section:ContactItem",
    "resources.contacts.files:read_header",  # a class of signs
    "resources.sso.section:_TOKEN",
    "scenario.documents.field_errors:_message",  # messages of marshmallow
    "beyond.openapi:_add_stub",
    "beyond.openapi:_base",
    "scenario.faults:FaultItem",
    "storage.redis_client:refuse_server",  # a version
    "scenario.content:_slug",
    "web.schemas.fields:_deserialize",
    "app.lazy_patterns:_compiled",  # patterns of libraries
}
#: What reads the texts of callers, by patterns of its own or those of libraries.
READERS = {
    "a text of the journal": redaction.text,
    "a query of the journal": redaction.query_text,
    "a mail of text": reply.extract,
    "a mail that is a page": reply.extract_html,
    "a mail as it came": lambda text: mail.parse(text.encode()),
    "the header of a mail": lambda text: mail.parse(b"Subject: =?utf-8?q?" + text.encode() + b"?=\r\n\r\n"),
    "the addresses of a mail": lambda text: mail.parse(b"To: " + text.encode() + b"\r\n\r\n"),
    "the type of a mail": lambda text: mail.parse(b"Content-Type: " + text.encode() + b"\r\n\r\n"),
    "the name of an attachment": lambda text: mail.parse(b"Content-Disposition: " + text.encode() + b"\r\n\r\n"),
    "an e-mail address": fields.Email().deserialize,
    "an address of the web": fields.Url().deserialize,
    "a name of a host": fields.Hostname().deserialize,
    "a time zone": fields.Timezone().deserialize,
    "a date": fields.DayOrMoment().deserialize,
    "a duration": duration.parse,
    "an instant": section.parse_instant,
    "a domain": domain_of,
    "a text that is recorded": lambda text: Replacements().text(text),
}
#: What makes patterns go back: their own words, over and over, and what nearly ends them.
PIECES = [
    "/account/login/", "/account/login/a/sso/", "href=", 'href="', "href='", "On a\n", "On a wrote\n", "On a: \n",
    ":", "=", ";", ";a=b", "&", "@", "a@", "a,", "(", "<", ">", "<a", "<a ", "<!--", "<style>", "<head>", "</", "> ",
    "\0", "[", "]", "{", "P1D", "T1", "*", "*0*=", "xn--", "--a\n",
    "a", "a.", "a-", "-", "_", ".", "0", "0:", "%41", "%", "\\", "\\a", '"', "'", " ", "\n", "\n\n", "\r\n", "\t",
    "eyJ", "eyJ.", "eyJa.b.", "xkeysib-", "otp:", '"token":"', "key=' ", "code=", "&code=", "://", "://a", "\\/\\/",
    "wrote:\n", "schrieb", "--\n", "-- ", "____________________\n", "> a\n", "=?", "=?a?q?", "?=", "=?utf-8?b?a", "ä",
]  # fmt: skip
SMALL, GROWTH = 500, 8
#: How many times longer so many times as much may take: eight times, and much more for what is not linear.
MOST = 24
#: What is so short says nothing, in seconds.
NOTHING = 0.004


#: What a call of a function that takes a pattern reads like, and what a module without such a call has not.
TAKES_A_PATTERN = re.compile(r"\bre\.\w+|validate\.Regexp|fnmatch\w*|\w*\.?translate")
#: The patterns that stand in the package as texts.
TEXTS = set()


def found_in(path):
    """Where a module uses patterns: the names that it gives to some, and the functions and classes of others."""
    module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    text = path.read_text()
    rows = [("", ast.parse(text))] if TAKES_A_PATTERN.search(text) else []
    while rows:
        holder, node = rows.pop()
        holder = name_of(node) or holder
        if is_use(node):
            TEXTS.update(literal(node))
            yield f"{module}:{holder}"
        rows += [(holder, inner) for inner in ast.iter_child_nodes(node)]


def literal(use):
    """The pattern that a use holds as a text, if it does; one that is compiled has a name, and perhaps flags."""
    if use.args and isinstance(use.args[0], ast.Constant) and ast.unparse(use.func) not in ("re.compile", "fnmatch"):
        yield use.args[0].value


def name_of(node):
    """What a function, a class or a constant is called."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name
    if not isinstance(node, ast.Assign) or not all(isinstance(target, ast.Name) for target in node.targets):
        return None
    return next((target.id for target in node.targets if target.id.isupper()), None)


def is_use(node):
    if not isinstance(node, ast.Call):
        return False
    called = ast.unparse(node.func)
    return bool(TAKES_A_PATTERN.fullmatch(called)) and called != "re.escape"


def seconds(work, text):
    """How long it takes at best, in seconds of the processor."""
    times = []
    for _ in range(2):
        start = time.process_time()
        with contextlib.suppress(ValueError, ValidationError):
            work(text)
        times.append(time.process_time() - start)
        if times[-1] < NOTHING:
            break
    return min(times)


def is_slow(work, piece, end):
    large = seconds(work, piece * SMALL * GROWTH + end)
    return large > NOTHING and large > MOST * max(seconds(work, piece * SMALL + end), NOTHING / GROWTH)


def assert_linear(work):
    slow = [
        (piece, end)
        for piece in PIECES
        for end in ("", "\0", "x\n>")
        if all(is_slow(work, piece, end) for _ in range(3))  # the machine is slow now and then
    ]
    assert slow == []


def searched(pattern):
    def work(text):
        read = text.encode() if isinstance(pattern.pattern, bytes) else text
        pattern.fullmatch(read)
        for _ in pattern.finditer(read):
            pass

    return work


#: Patterns that are tried at one place of a text only, behind a name; the readers above try them as they are used.
AT_ONE_PLACE = {"views.redaction:_ELEMENT", "views.redaction:_VALUE"}
USED = {name for path in PACKAGE.rglob("*.py") for name in found_in(path)}


def test_every_use_of_another_pattern_is_named_here():
    assert sorted(USED - set(PATTERNS) - USES) == []
    assert sorted(USES - USED) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PATTERNS if name not in AT_ONE_PLACE])
def test_a_pattern_takes_linear_time(name):
    module, _, constant = name.partition(":")
    assert_linear(searched(getattr(importlib.import_module(f"mockserver.{module}"), constant)))


@pytest.mark.slow
@pytest.mark.parametrize("pattern", sorted(TEXTS))
def test_a_pattern_without_a_name_takes_linear_time(pattern):
    assert_linear(searched(re.compile(pattern)))


@pytest.mark.slow
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_text_is_read_in_linear_time(read):
    assert_linear(read)


def test_a_glob_takes_linear_time(make_exchange):
    match = Match(path=Glob(("*a?" * LONGEST_GLOB)[:LONGEST_GLOB]))
    assert_linear(lambda text: match.admits(make_exchange(text)))


@pytest.fixture
def make_exchange():
    return lambda path: Exchange("1", datetime.now(UTC), "GET", path, "", (), b"", {})
