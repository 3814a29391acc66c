"""Versions: numbers by which somebody sees whether a thing may have changed since it was looked at last."""

from __future__ import annotations

from itertools import count

#: Draws the version of a thing that may change from now on; no two have the same in one process, copies neither.
draw = count(1).__next__
