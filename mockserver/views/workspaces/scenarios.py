"""The views of scenarios that can be loaded and of snapshots, and the schema of what `seed` adds."""

from __future__ import annotations

from functools import cache

from marshmallow import Schema, fields

from mockserver.scenario.schema import scenario_schema
from mockserver.views.base import members
from mockserver.views.base.view import View, listing


@cache
def seed_schema() -> Schema:
    """The schema of what is added to a workspace: a partial scenario, and optionally `account`.

    That account gets the rows that the document has at its top level, outside of `accounts`.
    """
    return type(scenario_schema()).from_dict({"account": fields.String()}, name="SeedItem")()


class ScenarioLine(View):
    name = members.text()
    description = members.text()
    stub_library = members.maybe(fields.Boolean, about="whether it has stubs and nothing else, as `--stubs` takes")
    error = members.maybe(fields.String, about="what is wrong with its file")


Scenarios = listing(ScenarioLine, "Scenarios")


class Moment(View):
    name = members.text()
    at = members.moment("on the workspace's clock")


Moments = listing(Moment, "Moments")
