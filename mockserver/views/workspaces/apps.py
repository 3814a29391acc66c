"""The views of the OAuth apps of third parties that are registered in a workspace."""

from __future__ import annotations

from marshmallow import fields

from mockserver.views.base import members
from mockserver.views.base.view import View, listing


class OAuthApp(View):
    client_id = members.text()
    client_secret = members.maybe(fields.String, about="a public app has none")
    name = members.text()
    redirect_uris = members.texts()
    scopes = members.texts()
    public = members.flag()
    account = members.text("whose developers have registered it")


OAuthApps = listing(OAuthApp, "OAuthApps")
