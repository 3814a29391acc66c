"""A mark that cites the OpenAPI document of February 2026 is of a name that the document has."""

from pathlib import Path

import pytest
import yaml

from mockserver.core.contract.operation import Mark
from mockserver.evidence.fidelity import record
from mockserver.resources.registry import OPERATIONS
from mockserver.web.schemas.evidence import OPENAPI

KNOWN = yaml.safe_load((Path(__file__).parent / "openapi_names.yaml").read_text(encoding="utf-8"))["names"]
RECORD = record(OPERATIONS.values())["operations"]


def cited(operation):
    """The place and the name of each field that is cited from the document, its list brackets left out at the end."""
    return {
        (entry["in"], entry["name"].removesuffix("[]"))
        for entry in RECORD[operation]["fields"]
        if entry["mark"] == Mark.DOCUMENTED and OPENAPI in entry["source"]
    }


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_name_that_is_cited_from_the_openapi_document_is_in_it(operation):
    known = {(place, name) for place, names in KNOWN.get(operation, {}).items() for name in names}

    assert cited(operation) - known == set()


def test_many_names_are_cited_from_the_openapi_document():
    assert sum(len(cited(operation)) for operation in OPERATIONS) > 200
