"""The operations on contact attributes, contract/attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.core.contract import errors
from mockserver.core.contract.operation import (
    Mark,
    chosen_error,
    documented_error,
    error_observed_in_code,
    observed_error,
    proposed_error,
)
from mockserver.core.lazy import lazy
from mockserver.core.workspaces.caller import Caller
from mockserver.web.endpoints.operations import Operations

if TYPE_CHECKING:
    from mockserver.resources.attributes import model, schemas
else:
    model, schemas = lazy(__package__, "model", "schemas")

_SOURCE = "OpenAPI document of February 2026"
ATTRIBUTES = Operations("attributes", "specification 4.9")
#: Operations beside the specification's 34.
FURTHER_ATTRIBUTES = Operations("attributes", _SOURCE, are_further=True)


_BAD_VALUE = proposed_error(errors.INVALID_PARAMETER, "a category outside the five; a bad type, formula or option")


@ATTRIBUTES.operation(
    "deleteAttribute", "DELETE", "/v3/contacts/attributes/{attributeCategory}/{attributeName}",
    summary="Delete a contact attribute",
    sweeps=True,
    status=204,
    params=schemas.AttributePath,
    errors=(
        proposed_error(errors.INVALID_PARAMETER, "a category outside the five"),
        documented_error(errors.DOCUMENT_NOT_FOUND, "the category has no such attribute",
            "specification 4.9, contract/errors#codes"),
        chosen_error(errors.ATTRIBUTE_NOT_FOUND, "sentences", Mark.DOCUMENTED),
    ),
)  # fmt: skip
def delete_attribute(caller: Caller, category: str, name: str) -> None:
    model.delete(caller, category, name)


@FURTHER_ATTRIBUTES.operation(
    "getAttributes", "GET", "/v3/contacts/attributes",
    summary="List contact attributes",
    answer=schemas.Attributes,
)  # fmt: skip
def get_attributes(caller: Caller) -> dict[str, Any]:
    return {"attributes": list(model.select(caller.account))}


@FURTHER_ATTRIBUTES.operation(
    "createAttribute", "POST", "/v3/contacts/attributes/{attributeCategory}/{attributeName}",
    summary="Create a contact attribute",
    adds=True,
    status=201,
    params=schemas.NewAttributePath,
    body=schemas.NewAttribute,
    errors=(
        error_observed_in_code(errors.INVALID_PARAMETER, "the category has an attribute of the name", programs=1),
        observed_error(errors.MISSING_PARAMETER, "no input; a calculated or global attribute without value (proposed)",
            "contract/attributes#createAttribute"),
    ),
)  # fmt: skip
def create_attribute(caller: Caller, category: str, name: str, body: dict[str, Any]) -> None:
    model.create(caller, category, name, body)


@FURTHER_ATTRIBUTES.operation(
    "updateAttribute", "PUT", "/v3/contacts/attributes/{attributeCategory}/{attributeName}",
    summary="Update a contact attribute",
    status=204,
    params=schemas.AttributePath,
    body=schemas.AttributeChanges,
    errors=(
        _BAD_VALUE,
        documented_error(errors.DOCUMENT_NOT_FOUND, "the category has no such attribute", _SOURCE),
        chosen_error(errors.ATTRIBUTE_NOT_FOUND, "sentences", Mark.DOCUMENTED),
    ),
)  # fmt: skip
def update_attribute(caller: Caller, category: str, name: str, body: dict[str, Any]) -> None:
    model.update(caller, category, name, body)
