"""The catalogue of scopes (contract/oauth#scopes), with the words in which the consent page describes them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from mockserver.core.contract.operation import ALL_SCOPES

#: What the consent page calls each resource, within a sentence.
_RESOURCES = {
    "account": "your account, senders and domains",
    "organization": "your organization and its sub-accounts",
    "webhooks": "your webhooks",
    "campaigns.email": "your e-mail campaigns and templates",
    "campaigns.sms": "your SMS campaigns",
    "campaigns.whatsapp": "your WhatsApp campaigns",
    "contacts": "your contacts, their lists and attributes",
    "crm": "your deals, companies and tasks",
    "conversations": "your conversations",
    "objects": "your custom objects",
    "ecommerce": "your products and orders",
    "events": "your events",
    "loyalty": "your loyalty programs",
    "transactional.email": "your transactional e-mails",
    "transactional.sms": "your transactional SMS",
    "transactional.whatsapp": "your transactional WhatsApp messages",
}
OPENID, PROFILE, EMAIL, OFFLINE_ACCESS = "openid", "profile", "email", "offline_access"
#: The scopes of OpenID Connect, for which any app may ask, with what the consent page says of them.
_OF_OPENID = {
    OPENID: "know that you have signed in",
    PROFILE: "see your name",
    EMAIL: "see your e-mail address",
    OFFLINE_ACCESS: "do all this while you are away",
}
#: What a new app may ask for, contract/oauth#scopes.
DEFAULTS = ("contacts:read", "contacts:write", "crm:read", "crm:write")


class Scope(NamedTuple):
    """One permission."""

    name: str
    #: The resource that it is about.
    category: str
    #: What an app may do with it, in the words of the consent page.
    words: str
    is_oidc_reserved: bool = False


def _catalogue() -> Iterable[Scope]:
    yield Scope(ALL_SCOPES, ALL_SCOPES, "Do everything that you can do yourself")
    for name, called in _RESOURCES.items():
        yield Scope(f"{name}:read", name, f"See {called}")
        yield Scope(f"{name}:write", name, f"Add, change and delete {called}")
    for name, words in _OF_OPENID.items():
        yield Scope(name, "openid", words.capitalize(), is_oidc_reserved=True)


CATALOGUE: dict[str, Scope] = {scope.name: scope for scope in _catalogue()}


def beyond(asked: Iterable[str], held: Collection[str]) -> list[str]:
    """The scopes among `asked` that the scopes in `held` do not cover."""
    return [name for name in asked if not _covers(held, name)]


def _covers(held: Collection[str], name: str) -> bool:
    scope = CATALOGUE.get(name)
    return scope is not None and (name in held or scope.is_oidc_reserved or ALL_SCOPES in held)


def split(text: str) -> tuple[str, ...]:
    """The scopes of a text, each once, in their order (RFC 6749, 3.3)."""
    return tuple(dict.fromkeys(part for part in text.split(" ") if part))
