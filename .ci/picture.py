"""Takes the pictures of the dashboard in README.md and the how-to. `python .ci/picture.py [FOLDER]` needs chromium."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mockserver import MockServer

_DOCS = Path(__file__).parents[1] / "docs"
#: The pictures below `docs/`, each with the page below `/_mock/ui/` and the height that it shows, in pixels.
_PICTURES = {
    "_static/dashboard.png": ("requests", 500),
    "howto/dashboard/timeline.webp": ("requests", 560),
    "howto/dashboard/request.webp": ("requests/{refused}", 640),
    "howto/dashboard/machine.webp": ("machines/sender", 420),
    "howto/dashboard/webhooks.webp": ("webhooks/1", 1000),
}
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


def take(folder: Path) -> None:
    """Write the pictures below a folder, or fail if one is too large."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("chromium is not installed")
    with MockServer(scenario="onboarding") as server, tempfile.TemporaryDirectory() as profile:
        address = urlsplit(server.url).netloc
        for method, path, body in _CALLS:
            _call(address, method, path, body)
        refused = _call(address, "GET", "/_mock/requests?status=400", None)["items"][0]["id"]
        for name, (page, height) in _PICTURES.items():
            picture = folder / name
            picture.parent.mkdir(parents=True, exist_ok=True)
            flags = [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size=1366,{height}",
                f"--user-data-dir={profile}", f"--screenshot={picture}",
            ]  # fmt: skip
            command = [chromium, *flags, f"http://{address}/_mock/ui/{page.format(refused=refused)}"]
            subprocess.run(command, check=True, capture_output=True, timeout=60)  # noqa: S603  # own address
            if (size := picture.stat().st_size) > _LARGEST:
                raise SystemExit(f"{picture.name} has {size:,} bytes, expected at most {_LARGEST:,}")
            if name == next(iter(_PICTURES)):  # what follows shows a call that was tried again
                for body in ('{"event":"delivered"}', *['{"by":"PT1H"}'] * 2):
                    _call(address, "POST", "/_mock/trigger" if "event" in body else "/_mock/clock/advance", body)


def _call(address: str, method: str, path: str, body: str | None) -> dict[str, Any]:
    connection = HTTPConnection(address)
    connection.request(method, path, body, {"api-key": "any", "Content-Type": "application/json"})
    text = connection.getresponse().read()
    connection.close()
    found: dict[str, Any] = json.loads(text or "{}")
    return found


if __name__ == "__main__":
    take(Path(sys.argv[1]) if len(sys.argv) > 1 else _DOCS)
