"""`ca`: what clients of a running server have to trust."""

from __future__ import annotations

from mockserver.cli.options import URL
from mockserver.cli.output import fail
from mockserver.cli.program import Misused, command
from mockserver.cli.remote import RequestRefused, Unreachable, root_of, send


@command("ca")
@URL
def ca(url: str | None) -> None:
    """Print the CA certificate that clients of a server with TLS must trust, in PEM.

    It is fetched from the server itself, whose certificate nobody can check before. Where others could stand between,
    let the server write it to a file, by --tls-ca-file.
    """
    root = root_of(url)
    try:
        print(send(root, "GET", "/_mock/ca", checked=False).decode("ascii", "replace"), end="")
    except RequestRefused as error:
        raise Misused(str(error)) from error
    except Unreachable as error:
        fail(str(error))
