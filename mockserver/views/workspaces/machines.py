"""The views of state machines and of their instances."""

from __future__ import annotations

from marshmallow import INCLUDE

from mockserver.views.base import members
from mockserver.views.base.view import View, listing
from mockserver.views.traffic.requests import Change


class Transition(View):
    event = members.text()
    source = members.source()
    to = members.target()


class Machine(View):
    name = members.text()
    states = members.texts()
    timed = members.texts("the events that time brings about", of=lambda machine: sorted(machine.timed))
    transitions = members.many(Transition)
    mermaid = members.text("a diagram", of=lambda machine: machine.mermaid())


Machines = listing(Machine, "Machines")


class Instance(View):
    """An instance of a state machine; `Lifecycle.describe` makes its rows.

    Further members differ by machine: of a sender, the one-time code and when it expires.
    """

    class Meta:
        unknown = INCLUDE

    as_given = True

    key = members.key()
    account = members.text()
    state = members.text()
    allowed = members.texts("the events that apply")


Instances = listing(Instance, "Instances")
InstanceHistory = listing(Change, "InstanceHistory", evicted=members.evicted())
