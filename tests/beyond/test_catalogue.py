"""The catalogue: which operations the service has beyond those of the mock, and where."""

import json

import pytest
from tables import tables

from mockserver.beyond.catalogue import catalogue, is_meant, nearest, tree
from mockserver.resources.registry import ALL_OPERATIONS, API_OPERATIONS
from mockserver.web.routing.path_tree import PathTree

#: The parametrized cases by test.
CASES = tables(__file__)

OPERATIONS = list(catalogue().values())


def shape(operation):
    """The address of an operation, whatever its parameters are called."""
    return operation.method, *("{}" if part.startswith("{") else part for part in operation.path.split("/"))


def test_catalogue_and_mock_have_all_292_operations_of_the_service():
    assert len(OPERATIONS) + len(API_OPERATIONS) == 292


def test_every_catalogue_address_has_one_operation_name():
    assert len({shape(row) for row in OPERATIONS}) == len(OPERATIONS)


def test_no_name_and_no_address_is_one_of_the_mock():
    own = {shape(row) for row in ALL_OPERATIONS.values()}

    assert not catalogue().keys() & ALL_OPERATIONS.keys()
    assert not own & {shape(row) for row in OPERATIONS}


def test_each_operation_has_a_method_a_path_and_a_status_of_success():
    for operation in OPERATIONS:
        assert operation.method in ("GET", "POST", "PUT", "PATCH", "DELETE"), operation.id
        assert operation.path.startswith("/v3/"), operation.id
        assert operation.status in (200, 201, 202, 204), operation.id


def test_each_operation_has_the_smallest_body_of_its_status_and_none_with_204():
    for operation in OPERATIONS:
        if operation.status == 204:
            assert operation.body == "", operation.id
        else:
            body = json.loads(operation.body)
            assert isinstance(body, dict | list)
            assert json.dumps(body, separators=(",", ":")) == operation.body, operation.id


@pytest.mark.parametrize(("method", "path", "operation"), CASES["a_fixed_segment_goes_before"])
def test_a_fixed_segment_goes_before_a_parameter(method, path, operation):
    found = tree().find(method, path)

    assert (found and found.operations[0].id) == operation


def test_an_address_of_the_mock_is_looked_up_there_first():
    own = PathTree(ALL_OPERATIONS.values())

    for row in ALL_OPERATIONS.values():
        assert own.find(row.method, row.path) is not None
        assert tree().find(row.method, row.path) is None


@pytest.mark.parametrize(("method", "pattern", "operation", "is_for"), CASES["a_pattern_that_is_written"])
def test_a_pattern_that_is_written_as_an_operations_path_is_for_that_alone(method, pattern, operation, is_for):
    assert is_meant(method, pattern, operation) is is_for


@pytest.mark.parametrize("length", [200, 100_000])
def test_of_a_long_path_the_beginning_is_compared(length):
    path = "/v3/smtp/emial/" + "x" * length

    assert nearest("POST", path) is nearest("POST", path[:150])


def test_a_path_is_compared_with_all_that_the_service_has():
    for row in OPERATIONS:
        assert nearest(row.method, row.path.replace("{", "").replace("}", "~")) is row
