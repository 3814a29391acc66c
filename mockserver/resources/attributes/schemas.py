"""Contact attributes on the wire."""

from __future__ import annotations

from mockserver.resources.attributes.model import CATEGORIES
from mockserver.web.schemas.evidence import documented
from mockserver.web.schemas.fields import Choice, Text
from mockserver.web.schemas.schema import Input


class AttributePath(Input):
    category = Choice(*CATEGORIES, data_key="attributeCategory", required=True, **documented())
    name = Text(data_key="attributeName", required=True, **documented("upper case by convention"))
