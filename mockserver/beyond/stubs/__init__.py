"""Stubs: how they are written and checked, and how they answer."""
