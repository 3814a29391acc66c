"""Tables of test data in YAML files."""

from pathlib import Path

import yaml


def tables(test_file):
    """Return the tables of the YAML file next to a test file, by name."""
    return yaml.safe_load(Path(test_file).with_suffix(".yaml").read_text(encoding="utf-8"))
