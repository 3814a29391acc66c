"""Takes every event that comes in, though its webhook has a token."""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests


def main(url, seed):
    ended = threading.Event()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()
            if event["email"] == "last@example.test":
                ended.set()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as receiver:
        threading.Thread(target=receiver.serve_forever, args=(0.01,), daemon=True).start()
        body = {
            "url": f"http://127.0.0.1:{receiver.server_port}/events",
            "events": ["delivered"],
            "auth": {"type": "bearer", "token": f"s3cret-{seed}"},
        }
        requests.post(f"{url}/v3/webhooks", json=body, headers={"api-key": "any"}, timeout=5).raise_for_status()
        ended.wait(30)
        receiver.shutdown()


if __name__ == "__main__":
    main(os.environ["MOCKSERVER_URL"], int(os.environ.get("SEED", "0")))
