"""The view of an operation that the service has and the mock has not."""

from __future__ import annotations

from marshmallow import validate

from mockserver.views.base import members
from mockserver.views.base.view import View, listing
from mockserver.web.service.beyond import CHOICES


class OperationBeyond(View):
    operation = members.text()
    method = members.text()
    path = members.text()
    status = members.number("that of success", least=100)
    answered = members.text("how a call is answered where no stub does", validate=validate.OneOf(CHOICES.values()))
    stubs = members.texts("the stubs of the workspace that can have its address")


OperationsBeyond = listing(OperationBeyond, "OperationsBeyond")
