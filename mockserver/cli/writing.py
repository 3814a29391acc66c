"""What commands write into a file that a user names, or else on standard output."""

from __future__ import annotations

from pathlib import Path

from mockserver.cli.output import echo
from mockserver.cli.program import Misused


def write(output: Path | None, text: str) -> None:
    """Write a text into a file, or on standard output without one.

    Raises:
        Misused: the file cannot be written.
    """
    if output is None:
        echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Misused(f"cannot write {output}: {error.strerror}") from error
