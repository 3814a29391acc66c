"""Takes the picture of the dashboard in README.md. `python .ci/picture.py [PATH]` needs chromium."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from mockserver import MockServer

PICTURE = Path(__file__).parents[1] / "docs" / "_static" / "dashboard.png"
#: The largest picture, in bytes: the page should load at once.
_LARGEST = 150_000
_EMAIL = (
    '{"sender":{"email":"news@acme.test"},"to":[{"email":"ada@example.test"}],"subject":"Welcome","textContent":"Hi"}'
)
#: What a product does in the picture: method, path, body.
_CALLS = (
    ("POST", "/v3/senders", '{"name":"Jo","email":"jo@acme.test"}'),
    ("PUT", "/v3/senders/3/validate", '{"otp":111111}'),
    ("POST", "/v3/webhooks", '{"url":"https://shop.acme.test/hooks","events":["delivered"]}'),
    ("POST", "/v3/smtp/email", _EMAIL),
    ("GET", "/v3/senders", None),
    ("GET", "/v3/corporate/masterAccount", None),
)


def take(picture: Path) -> None:
    """Write the picture to a file, or fail if it is too large."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("chromium is not installed")
    with MockServer(scenario="onboarding") as server, tempfile.TemporaryDirectory() as profile:
        address = urlsplit(server.url).netloc
        for method, path, body in _CALLS:
            connection = HTTPConnection(address)
            connection.request(method, path, body, {"api-key": "any", "Content-Type": "application/json"})
            connection.getresponse().read()
            connection.close()
        flags = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1366,500",
            f"--user-data-dir={profile}", f"--screenshot={picture}",
        ]  # fmt: skip
        page = f"http://{address}/_mock/ui/requests"
        subprocess.run([chromium, *flags, page], check=True, capture_output=True, timeout=60)  # noqa: S603  # own address
    if (size := picture.stat().st_size) > _LARGEST:
        raise SystemExit(f"{picture.name} has {size:,} bytes, expected at most {_LARGEST:,}")


if __name__ == "__main__":
    take(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE)
