"""Where the service calls this product, with Flask 2.3, and a token that PyJWT 2.8 signs."""

import flask
import jwt

_SECRET = "a secret of this product, of at least 32 bytes"


def address(port):
    return f"http://127.0.0.1:{port}/hooks/{jwt.encode({'for': 'brevo'}, _SECRET, 'HS256')}"


def create_app(seen):
    """The application, which keeps the events that it is told in a list."""
    app = flask.Flask(__name__)

    @app.post("/hooks/<token>")
    def hooks(token):
        try:
            jwt.decode(token, _SECRET, ["HS256"])
        except jwt.InvalidTokenError:
            flask.abort(401)
        seen.append(flask.request.get_json()["event"])
        return "", 204

    return app
