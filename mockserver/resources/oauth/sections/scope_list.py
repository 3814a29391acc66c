"""The field of a list of scopes in a section."""

from __future__ import annotations

from typing import Any

from marshmallow import fields, validate

from mockserver.resources.oauth.scopes import CATALOGUE
from mockserver.web.schemas.fields import List


class ScopeList(List):
    """Scopes, each once: there are no more than the catalogue has."""

    def __init__(self, **options: Any) -> None:
        super().__init__(fields.String(validate=validate.OneOf(CATALOGUE)), **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        return list(dict.fromkeys(super()._deserialize(value, attr, data, **kwargs)))
