"""The pages of this product, with Django 4.2 and marshmallow 3."""

import json

from brevo import Brevo, BrevoError
from django.conf import settings
from django.http import JsonResponse
from django.urls import path
from marshmallow import Schema, ValidationError, fields


class NewSender(Schema):
    name = fields.Str(required=True)
    email = fields.Email(required=True)


def senders(request):
    """Adds a sender, who gets a code by e-mail."""
    try:
        wanted = NewSender().loads(request.body)
    except ValidationError as error:
        return JsonResponse({"errors": error.messages}, status=400)
    try:
        return JsonResponse({"id": brevo().add_sender(**wanted)}, status=201)
    except BrevoError as error:
        return JsonResponse({"error": str(error)}, status=409)


def confirm(request, number):
    """Confirms a sender by the code."""
    try:
        brevo().confirm_sender(number, json.loads(request.body)["code"])
    except BrevoError as error:
        return JsonResponse({"error": str(error)}, status=409)
    return JsonResponse({"active": brevo().is_active(number)})


def brevo():
    return Brevo(settings.BREVO_URL, settings.BREVO_KEY)


urlpatterns = [path("senders", senders), path("senders/<int:number>/confirm", confirm)]
