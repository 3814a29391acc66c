"""Single-sign-on tokens on the wire."""

from __future__ import annotations

from mockserver.core.contract.errors import INVALID_PARAMETER
from mockserver.resources.sso.model import TARGETS
from mockserver.web.schemas.errors import Sentence
from mockserver.web.schemas.evidence import documented
from mockserver.web.schemas.fields import Choice, Email, Int64, Text, Url
from mockserver.web.schemas.schema import Input, Output

_BAD_EMAIL = Sentence(INVALID_PARAMETER, "Invalid email address")


class TokenPath(Input):
    token = Text(required=True, **documented("as the operation gave it"))


class AdminSso(Input):
    email = Email(required=True, error=_BAD_EMAIL, **documented("admin user"))


class SubAccountSso(Input):
    id = Int64(
        required=True,
        error=Sentence(INVALID_PARAMETER, "Invalid sub-account id."),
        **documented("sub-account"),
    )
    email = Email(error=_BAD_EMAIL, **documented("user of the sub-account"))
    target = Choice(*TARGETS, **documented("area to land in"))
    url = Url(**documented("full address to land at; wins over target (proposed)"))


class SsoTokenOut(Output):
    token = Text(required=True, **documented("opaque; valid 15 days"))
