"""What the shop remembers of its e-mails."""

from django.db import models


class Bounce(models.Model):
    """An address that takes no e-mail."""

    email = models.EmailField(unique=True)
