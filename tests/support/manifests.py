"""The manifests for Kubernetes among the examples."""

from __future__ import annotations

from pathlib import Path

import yaml
from kubernetes_validate.utils import all_versions

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "tests" / "examples"
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
#: The versions that Kubernetes supports are the last three, and some providers one or two more.
VERSIONS = sorted(set(all_versions()), key=lambda name: [int(part) for part in name.split(".")])[-5:]


def documents(name):
    """The documents of a manifest."""
    return list(yaml.safe_load_all((EXAMPLES / name).read_text(encoding="utf-8")))


def named(name, kind, called):
    """The document of a manifest of a kind and a name."""
    (found,) = [row for row in documents(name) if (row["kind"], row["metadata"]["name"]) == (kind, called)]
    return found
