"""Scenarios: those that can be loaded, what is added to a workspace, and the moments to which it can return."""

from __future__ import annotations

from functools import cache

from marshmallow import Schema, fields

from mockserver.scenario.schema import scenario_schema
from mockserver.views.base import members
from mockserver.views.base.view import View, listing


@cache
def seed_schema() -> Schema:
    """What a workspace gets added: a partial scenario, and the account that gets what stands at its top."""
    return type(scenario_schema()).from_dict({"account": fields.String()}, name="SeedItem")()


class ScenarioLine(View):
    name = members.text()
    description = members.text()
    error = members.maybe(fields.String, about="what is wrong with its file")


Scenarios = listing(ScenarioLine, "Scenarios")


class Moment(View):
    name = members.text()
    at = members.moment("on the workspace's clock")


Moments = listing(Moment, "Moments")
