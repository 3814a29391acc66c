"""Components of an application are found by their types."""

from dataclasses import dataclass

from mockserver.web.application import LeanFlask
from mockserver.web.components import component


@dataclass
class Colour:
    name: str


@dataclass
class Shape:
    name: str


def test_view_finds_the_components_of_its_own_application():
    apps = []
    for colour, shape in (("red", "round"), ("blue", "flat")):
        app = LeanFlask("test")
        app.add_component(Colour(colour))
        app.add_component(Shape(shape))
        app.add_url_rule("/", view_func=lambda: f"{component(Colour).name} {component(Shape).name}")
        apps.append(app)

    assert [app.test_client().get("/").text for app in apps] == ["red round", "blue flat"]
