"""The addresses of OAuth below a workspace's root (contract/oauth)."""

from __future__ import annotations

#: Where all of it lives.
REALM = "/realms/partner"

AUTHORIZE, TOKEN = f"{REALM}/oauth/authorize", f"{REALM}/oauth/token"
CONSENT = f"{REALM}/oauth/consent"
REVOKE, INTROSPECT, USERINFO = f"{REALM}/oauth/revoke", f"{REALM}/oauth/introspect", f"{REALM}/oauth/userinfo"
KEYS, SCOPES = f"{REALM}/public-keys", f"{REALM}/scopes"
AUTHORIZATION_SERVER = f"{REALM}/.well-known/oauth-authorization-server"
OPENID_CONFIGURATION = f"{REALM}/.well-known/openid-configuration"
