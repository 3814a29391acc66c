"""The shop: it adds senders at Brevo, and notes bounces."""

import json

from brevo import BadRequestError, Brevo
from django.conf import settings
from django.http import HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from shop.models import Bounce


def brevo():
    """The client; it is made for each request, so that it has the settings of the moment."""
    return Brevo(api_key=settings.BREVO_API_KEY, base_url=settings.BREVO_BASE_URL)


@csrf_exempt
def senders(request):
    """Add a sender, whose address gets a one-time code."""
    sender = brevo().senders.create_sender(name=request.POST["name"], email=request.POST["email"])
    return JsonResponse({"id": sender.id}, status=201)


@csrf_exempt
def code(request, sender):
    """Take the one-time code that somebody has typed in."""
    try:
        brevo().senders.validate_sender_by_otp(sender, otp=int(request.POST["code"]))
    except BadRequestError as error:
        return JsonResponse({"error": error.body["code"]}, status=400)
    return HttpResponse(status=204)


@csrf_exempt
def hook(request):
    """Be called by Brevo."""
    event = json.loads(request.body)
    if event["event"] == "hard_bounce":
        Bounce.objects.get_or_create(email=event["email"])
    return HttpResponse(status=204)


urlpatterns = [
    path("senders", senders),
    path("senders/<int:sender>/code", code),
    path("hooks/brevo", hook),
]
