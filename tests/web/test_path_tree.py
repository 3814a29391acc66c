"""The tree of paths: which operations a method and a path lead to, and with which values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import tables

from mockserver.beyond import catalogue
from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.web.routing.path_tree import PathTree

#: The tables of the tests by name.
CASES = tables(__file__)
OPERATIONS = list(ALL_OPERATIONS.values())
TREE = PathTree(OPERATIONS)
#: A value that is fixed in no path.
VALUES = st.text(st.characters(exclude_characters="/"), min_size=1, max_size=9).map(lambda text: f"{text}~")


def found(method, path):
    """The ids of the operations there, and the values."""
    match = TREE.find(method, path)
    return match and ([operation.id for operation in match.operations], dict(match.params))


@pytest.mark.parametrize(("method", "path", "operation", "params"), CASES["a_method_and_a_path"])
def test_a_method_and_a_path_lead_to_an_operation_or_to_none(method, path, operation, params):
    assert found(method, path) == (None if operation is None else ([operation], params))


def test_operations_that_share_an_address_are_found_in_the_order_of_their_declaration():
    ids, _ = found("POST", "/realms/partner/oauth/token")

    assert ids == [row.id for row in OPERATIONS if row.path == "/realms/partner/oauth/token"]


@pytest.mark.parametrize("tree", [TREE, catalogue.tree()], ids=["of the mock", "beyond the mock"])
@given(values=st.lists(VALUES, min_size=4, max_size=4))
def test_each_operation_is_found_with_the_values_of_its_parameters(tree, values):
    operations = OPERATIONS if tree is TREE else catalogue.catalogue().values()
    for operation in operations:
        names = [segment[1:-1] for segment in operation.path.split("/") if segment.startswith("{")]
        given_values = dict(zip(names, values, strict=False))

        match = tree.find(operation.method, operation.path.format(**given_values))

        assert operation in match.operations
        assert dict(match.params) == given_values
