"""The view of the OpenAPI documents of the mocked API and of the control API."""

from __future__ import annotations

from marshmallow import INCLUDE, validate

from mockserver.views.base import members
from mockserver.views.base.view import View


class OpenApi(View):
    class Meta:
        unknown = INCLUDE

    as_given = True

    openapi = members.text(validate=validate.Regexp(r"3\.1\.[0-9]+\Z"))
    info = members.mapping()
    paths = members.mapping()
