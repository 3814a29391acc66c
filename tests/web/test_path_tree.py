"""The tree of paths: which operations a method and a path lead to, and with which values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.web.routing.path_tree import PathTree

OPERATIONS = list(ALL_OPERATIONS.values())
TREE = PathTree(OPERATIONS)
#: A value that is fixed in no path.
VALUES = st.text(st.characters(exclude_characters="/"), min_size=1).map(lambda text: f"{text}~")


def found(method, path):
    """The ids of the operations there, and the values."""
    match = TREE.find(method, path)
    return match and ([operation.id for operation in match.operations], dict(match.params))


@pytest.mark.parametrize(
    ("method", "path", "operation", "params"),
    [
        ("GET", "/v3/senders", "getSenders", {}),
        ("HEAD", "/v3/senders", "getSenders", {}),
        ("POST", "/v3/senders", "createSender", {}),
        ("PUT", "/v3/senders/7", "updateSender", {"senderId": "7"}),
        ("GET", "/v3/senders/ips", "getIps", {}),
        ("GET", "/v3/senders/ips/ips", None, None),
        ("DELETE", "/v3/senders/ips", None, None),
        ("GET", "/v3/senders/7/ips", "getIpsFromSender", {"senderId": "7"}),
        ("DELETE", "/v3/contacts/attributes/normal/AGE", "deleteAttribute",
         {"attributeCategory": "normal", "attributeName": "AGE"}),
        ("GET", "/v3/senders/", None, None),
        ("GET", "/v3/senders//ips", None, None),
        ("GET", "/v3", None, None),
        ("GET", "/", None, None),
        ("GET", "", None, None),
        ("PATCH", "/v3/senders", None, None),
        ("OPTIONS", "/v3/senders", None, None),
        ("get", "/v3/senders", None, None),
    ],
)  # fmt: skip
def test_a_method_and_a_path_lead_to_an_operation_or_to_none(method, path, operation, params):
    assert found(method, path) == (None if operation is None else ([operation], params))


def test_operations_that_share_an_address_are_found_in_the_order_of_their_declaration():
    ids, _ = found("POST", "/realms/partner/oauth/token")

    assert ids == [row.id for row in OPERATIONS if row.path == "/realms/partner/oauth/token"]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda row: row.id)
@given(data=st.data())
def test_each_operation_is_found_with_the_values_of_its_parameters(operation, data):
    segments = operation.path.split("/")
    values = {segment[1:-1]: data.draw(VALUES) for segment in segments if segment.startswith("{")}

    ids, params = found(operation.method, operation.path.format(**values))

    assert operation.id in ids
    assert params == values
