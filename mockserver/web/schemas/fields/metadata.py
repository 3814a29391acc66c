"""The metadata of fields, which become keywords of their JSON schemas."""

from __future__ import annotations

from typing import Any


def with_metadata(kwargs: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    """The arguments of a field, with more metadata for its JSON schema."""
    return {**kwargs, "metadata": {**kwargs.get("metadata", {}), **metadata}}
