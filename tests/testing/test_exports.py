"""The package exports the names that its users import."""

import pytest

import mockserver


@pytest.mark.parametrize("name", sorted({*mockserver.__all__} - {"__version__"}))
def test_every_exported_name_can_be_imported(name):
    assert getattr(mockserver, name).__name__ == name


def test_the_package_exports_these_names_only():
    with pytest.raises(AttributeError, match="module 'mockserver' has no attribute 'Mocksever'"):
        _ = mockserver.Mocksever
