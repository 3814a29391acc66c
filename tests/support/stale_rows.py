"""Holds that nobody changes rows of which it has not asked for the table, the timeline or the record."""

from __future__ import annotations

from collections import OrderedDict

from mockserver.storage.packing import Packing, pack

#: How many of the versions that were packed are remembered.
_MOST = 100_000


def check(set_attribute):
    """Pack again what is said to be of the same version, and compare it; `setattr`, or that of `monkeypatch`."""
    seen, packed = OrderedDict(), Packing._packed  # noqa: SLF001  # where all rows come by

    def checked(packing, kind, rows, version):
        digest = hash(pack(rows)) if not hasattr(rows, "follow") else 0
        assert seen.setdefault(version, digest) == digest, f"{kind} has changed without another version"
        while len(seen) > _MOST:
            seen.popitem(last=False)
        return packed(packing, kind, rows, version)

    set_attribute(Packing, "_packed", checked)
