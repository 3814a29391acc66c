"""The names in templates: what every template sees, and which others values can be given."""

from __future__ import annotations

from collections.abc import Mapping

from mockserver.beyond.templates.functions import FAKER, FUNCTIONS
from mockserver.core.state.behaviour import Behaviour

#: The longest name of a value, in characters. Chosen: any that is read with ease.
LONGEST_NAME = 40
#: Words of Jinja's that can be no names, and names that loops give.
_WORDS = frozenset({"and", "or", "not", "in", "is", "if", "else", "elif", "for", "true", "false", "none", "True",
                    "False", "None", "loop"})  # fmt: skip
#: What a template sees whose members are worked out when they are asked for, with the names of these.
LATE_MEMBERS: Mapping[str, frozenset[str]] = {
    "request": frozenset({"id", "method", "path", "query", "json", "headers"}),
    "account": frozenset(
        {"id", "name", "email", "first_name", "last_name", "company_name", "role", "of", "language", "enterprise",
         "organization_id", "user_id", "created_at", "credits", "relay", "senders", "domains", "webhooks",
         "scheduled_emails", "attributes", "blocked", "templates"}
    ),
    "behaviour": frozenset(Behaviour._fields),
    "faker": FAKER,
}  # fmt: skip
#: What every template sees.
ROOTS = frozenset({*LATE_MEMBERS, "now", "omit"})


def is_free_name(name: str) -> bool:
    """Whether a value can be given a name: it is one for Jinja, and has no meaning in templates yet."""
    is_name = name.isascii() and name.isidentifier() and len(name) <= LONGEST_NAME
    return is_name and name not in ROOTS and name not in FUNCTIONS and name not in _WORDS
