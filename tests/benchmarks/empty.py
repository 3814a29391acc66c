"""What the mock is compared with: an empty Flask view on the same server."""

from flask import Flask

from mockserver import Settings
from mockserver.web.server.server import address, bind, server
from mockserver.web.server.wsgi import WsgiAnswer

app = Flask("empty")


@app.route("/v3/senders", methods=["GET", "POST"])
def view():
    return ""


listener = bind("127.0.0.1", 0)
print(address(listener), flush=True)
server(app, Settings(), lambda path, status, message: WsgiAnswer(status, [], message.encode())).run(sockets=[listener])
