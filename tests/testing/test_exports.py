"""The package exports the names that its users import."""

import pytest

import mockserver
import mockserver.app


def test_the_exported_names_can_be_imported_and_no_others():
    names = {*mockserver.__all__} - {"__version__"}
    assert {getattr(mockserver, name).__name__ for name in names} == names
    assert set(mockserver.__all__) <= set(dir(mockserver))
    assert "create_app" in dir(mockserver.app)
    with pytest.raises(AttributeError, match="module 'mockserver' has no attribute 'Mocksever'"):
        _ = mockserver.Mocksever
