"""The settings of a small shop; those of Brevo are what a deployment sets, and tests override."""

import os

SECRET_KEY = "only for this example"
INSTALLED_APPS = ["shop"]
ROOT_URLCONF = "shop.views"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
STATIC_URL = "static/"  # LiveServerTestCase asks for it
USE_TZ = True

BREVO_BASE_URL = os.environ.get("BREVO_BASE_URL", "https://api.brevo.com/v3")
BREVO_API_KEY = os.environ.get("BREVO_API_KEY", "")
