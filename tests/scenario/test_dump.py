"""State as YAML, which is written in parts."""

import pytest
import yaml

from mockserver.scenario import dump

ODD = "a\u2028b\x85 c\n\n  d\x0c" * 30
DOCUMENT = {
    "description": ODD,
    "dns": {f"d{number}.test": {"brevo_code": "ok"} for number in range(7)},
    "accounts": [
        {"name": "a\n\nb \n", "senders": [], "rows": [{"text": ODD, "inner": [[], {}, [1]]} for _ in range(7)]},
        {"name": "c", "words": {str(number): ODD for number in range(7)}},
    ],
    "resume": {},
}


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_the_parts_are_one_document_whatever_their_size(monkeypatch, size):
    monkeypatch.setattr(dump, "_ROWS_AT_ONCE", size)

    assert yaml.safe_load(dump.to_yaml(DOCUMENT)) == DOCUMENT
