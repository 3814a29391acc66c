"""`ca`: what clients of a running server have to trust."""

from __future__ import annotations

from mockserver.cli.options import URL
from mockserver.cli.output import echo
from mockserver.cli.program import command
from mockserver.cli.remote import answered, client_of, root_of


@command("ca")
@URL
def ca(url: str | None) -> None:
    """Print the CA certificate that clients of a server with TLS must trust, in PEM.

    It is fetched from the server itself, whose certificate nobody can check before. Where others could stand between,
    let the server write it to a file, by --tls-ca-file.
    """
    root = root_of(url)
    with answered(root):
        echo(client_of(root, checked=False).call("GET", "/_mock/ca").text, nl=False)
