"""`coverage`: which part of the contract the requests so far have met, and whether that is enough."""

from __future__ import annotations

from pathlib import Path

import click

from mockserver.cli.output import JSON, Finite, fail
from mockserver.cli.remote import TOKEN, URL, RequestRefused, Unreachable, get, health_of, read, root_of


@click.command()
@URL
@TOKEN
@click.option(
    "--workspace", default="*", show_default=True, metavar="NAME",
    help="A workspace, or * for all that the server has seen.",
)  # fmt: skip
@click.option(
    "--fail-under", type=Finite(0, 100), metavar="PERCENT", help="End with 1 if less of the contract was met."
)
@click.option(
    "--format", "report_format", type=click.Choice(["text", "json", "html", "junit"]), default="text",
    show_default=True, help="The format of the report.",
)  # fmt: skip
@click.option(
    "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write the report there."
)
@JSON
def coverage(
    url: str | None,
    token: str | None,
    workspace: str,
    fail_under: float | None,
    report_format: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Ask a running server what was met of the contract, and what is missing."""
    root, format_ = root_of(url), "json" if as_json else report_format
    text = _report(root, workspace, format_, token)
    if output is None:
        click.echo(text, nl=not text.endswith("\n"))
    else:
        _write(output, text)
    if fail_under is None:
        return
    percent = _percent(root, text if format_ == "json" else _report(root, workspace, "json", token))
    if percent < fail_under:
        fail(f"{percent} % of the contract was met, and {fail_under:g} % are wanted")


def _report(root: str, workspace: str, format_: str, token: str | None) -> str:
    """The report of a server in one of its formats; exits if there is none."""
    from urllib.parse import quote

    path = f"/_mock/coverage?workspace={quote(workspace, safe='')}&format={format_}"
    try:
        health_of(root)  # the answer of another program would pass for a report
        return get(root, path, token=token).decode()
    except RequestRefused as error:
        raise click.UsageError(str(error)) from error
    except (Unreachable, UnicodeDecodeError) as error:
        fail(str(error))


def _percent(root: str, text: str) -> float:
    """The percentage in a report of JSON; exits if it has none."""
    try:
        return float(read(root, text.encode(), {"percent": int | float})["percent"])
    except Unreachable as error:
        fail(str(error))


def _write(output: Path, text: str) -> None:
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"cannot write {output}: {error.strerror}") from error
