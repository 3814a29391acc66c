"""Components of an application are found by their types."""

from dataclasses import dataclass

import pytest

from mockserver.web.application import LeanFlask
from mockserver.web.components import component


@dataclass
class Colour:
    name: str


@dataclass
class Shape:
    name: str


@pytest.fixture
def app():
    found = LeanFlask("test")
    found.add_component(Colour("red"))
    found.add_component(Shape("round"))
    return found


def test_of_several_components_the_one_of_the_type_is_found(app):
    assert app.component(Shape) == Shape("round")


def test_a_view_finds_the_components_of_its_own_application(app):
    app.add_url_rule("/", view_func=lambda: component(Colour).name)
    other = LeanFlask("other")
    other.add_component(Colour("blue"))
    other.add_url_rule("/", view_func=lambda: component(Colour).name)

    assert [each.test_client().get("/").text for each in (app, other)] == ["red", "blue"]
