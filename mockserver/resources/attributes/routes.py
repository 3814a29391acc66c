"""The operation on contact attributes, contract/attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockserver.core.contract import errors
from mockserver.core.contract.operation import Mark, chosen_error, documented_error, proposed_error
from mockserver.core.late import late
from mockserver.core.workspaces.caller import Caller
from mockserver.web.endpoints.operations import Operations

if TYPE_CHECKING:
    from mockserver.resources.attributes import model, schemas
else:
    model, schemas = late(__package__, "model", "schemas")

ATTRIBUTES = Operations("attributes")


@ATTRIBUTES.operation(
    "deleteAttribute", "DELETE", "/v3/contacts/attributes/{attributeCategory}/{attributeName}",
    summary="Delete a contact attribute",
    source="specification 4.9, contract/attributes#deleteAttribute",
    status=204,
    params=schemas.AttributePath,
    errors=(
        proposed_error(errors.INVALID_PARAMETER, "a category outside the five"),
        documented_error(errors.DOCUMENT_NOT_FOUND, "the category has no such attribute",
            "specification 4.9, contract/errors#codes"),
        chosen_error(errors.ATTRIBUTE_NOT_FOUND, "sentences", Mark.DOCUMENTED),
    ),
    scope="contacts",
)  # fmt: skip
def delete_attribute(caller: Caller, category: str, name: str) -> None:
    model.delete(caller, category, name)
