"""Tokens of apps: their exchange, issuing, signing and inspection."""
