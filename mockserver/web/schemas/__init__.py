"""Schemas, their fields, field errors, evidence, and JSON on the wire."""
