"""The source of each mark has what the mark cites: a member's name, an error's status and code, a bound's member."""

import re

import pytest
from truth.documents import UNREAD, Client, February, Pages, cited

from mockserver.core.contract.operation import Mark
from mockserver.evidence.fidelity import record
from mockserver.resources.registry import ALL_OPERATIONS

RECORD = record(ALL_OPERATIONS.values())["operations"]
FIELDS = [(operation, field) for operation, row in RECORD.items() for field in row["fields"]]
ERRORS = [(operation, error) for operation, row in RECORD.items() for error in row["errors"]]
BOUNDS = [(operation, field) for operation, field in FIELDS if "bounds" in field]


def _is_named(operation, field, documents):
    name = field["name"].removesuffix("[]")
    return any(name in document.names(operation, field["in"]) for document in documents)


def test_every_member_is_named_by_a_document_that_its_mark_cites():
    false = [
        (operation, field["in"], field["name"], field["mark"], field["source"])
        for operation, field in FIELDS
        if (documents := cited(field["source"]))
        and not _is_named(operation, field, documents)
        and not re.search(r"but for the name|" + UNREAD.pattern, field["source"])
    ]

    assert false == []


def test_no_member_that_the_february_document_or_the_client_names_has_a_weaker_mark():
    weaker = {
        (operation, field["name"].partition(".")[0], field["mark"])
        for operation, field in FIELDS
        if field["mark"] != Mark.DOCUMENTED and _is_named(operation, field, [February(), Client()])
    }

    # The document of September has left these out, and a body recorded since has them.
    assert weaker == {("getAccount", "dateTimePreferences", "observed")}


def test_every_error_is_in_a_document_that_its_mark_cites():
    false = [
        (operation, error["status"], error["code"], error["mark"], error["source"])
        for operation, error in ERRORS
        if (documents := cited(error["source"], Pages))
        and not any(document.has_error(operation, error["status"], error["code"]) for document in documents)
        and "but for the code" not in error["source"]
    ]

    assert false == []


@pytest.mark.parametrize("entries", [FIELDS, ERRORS], ids=["fields", "errors"])
def test_every_documented_mark_cites_a_document_of_the_vendor(entries):
    vendor = re.compile(r"specification \d|OpenAPI document of February 2026|brevo-python 5\.1\.0|" + UNREAD.pattern)
    without = [
        (operation, entry.get("name") or entry["code"], entry["source"])
        for operation, entry in entries
        if entry["mark"] == Mark.DOCUMENTED and not vendor.search(entry["source"])
    ]

    assert without == []


def test_a_proposed_bound_cites_no_document_and_another_one_that_has_its_member():
    false = []
    for operation, field in BOUNDS:
        source = field["bounds"]["source"]
        documents = cited(source)
        holders = {holder for document in documents for holder in document.names(operation, "bounds")}
        is_there = _is_named(operation, field, documents) or field["name"].partition(".")[0] in holders
        is_right = not documents if field["bounds"]["mark"] == Mark.PROPOSED else is_there or UNREAD.search(source)
        if not is_right:
            false.append((operation, field["name"], field["bounds"]))

    assert false == []


@pytest.mark.parametrize(
    ("source", "operation", "name", "is_there"),
    [
        ("OpenAPI document of February 2026", "getContacts", "contacts[].smsBlacklisted", True),
        ("OpenAPI document of February 2026", "getContacts", "contacts[].whatsappBlacklisted", False),
        ("brevo-python 5.1.0", "getContacts", "contacts[].whatsappBlacklisted", True),
        ("specification 2.8", "getSubAccount", "groups[].id", True),
        ("specification 2.8", "listSubAccounts", "subAccounts[].groups[].id", False),
        ("RFC 8414, 2", "oauthServerMetadata", "revocation_endpoint_auth_methods_supported[]", True),
        ("OpenID Connect Discovery 1.0", "oauthServerMetadata", "revocation_endpoint_auth_methods_supported[]", False),
    ],
)
def test_a_document_has_the_names_of_each_operation(source, operation, name, is_there):
    assert _is_named(operation, {"in": "answer", "name": name}, cited(source)) is is_there


@pytest.mark.parametrize(
    ("source", "operation", "status", "code", "is_there"),
    [
        ("OpenAPI document of February 2026", "getList", 404, "document_not_found", True),
        ("OpenAPI document of February 2026", "createList", 404, "document_not_found", False),
        ("brevo-python 5.1.0", "getList", 404, "document_not_found", True),
        ("brevo-python 5.1.0", "createList", 404, "document_not_found", False),
        ("specification 4.5", "deleteSubAccount", 404, "document_not_found", True),
        ("specification 4.5", "getSubAccount", 404, "document_not_found", False),
        ("specification 7.3", "getSubAccount", 400, "document_lost", False),
        ("RFC 6749, 4.1.2.1", "oauthAuthorize", 500, "server_error", True),
        ("RFC 6749, 4.1.2.1", "oauthTokenCode", 500, "server_error", False),
        ("RFC 6749, 5.2", "oauthTokenCode", 401, "invalid_client", True),
        ("OAuth pages of developers.brevo.com", "oauthTokenCode", 400, "invalid_scope", False),
    ],
)
def test_a_document_has_the_errors_of_each_operation(source, operation, status, code, is_there):
    (document,) = cited(source, Pages)

    assert document.has_error(operation, status, code) is is_there
