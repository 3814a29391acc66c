"""Mails by SMTP, out and in."""
