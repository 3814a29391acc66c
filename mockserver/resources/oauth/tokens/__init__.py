"""Tokens of apps: exchanged, issued, signed, and known again."""
