"""E-mail templates."""
