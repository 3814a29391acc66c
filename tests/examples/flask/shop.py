"""A product with Flask, whose factory takes the address and the key of the service."""

from brevo import BadRequestError, Brevo
from flask import Flask, request


def create_app(**config):
    app = Flask(__name__)
    app.config.from_prefixed_env()  # FLASK_BREVO_BASE_URL and FLASK_BREVO_API_KEY
    app.config.update(config)
    app.bounced = []
    service = Brevo(api_key=app.config["BREVO_API_KEY"], base_url=app.config["BREVO_BASE_URL"])

    @app.post("/senders")
    def add_sender():
        return {"id": service.senders.create_sender(**request.get_json()).id}, 201

    @app.put("/senders/<int:sender>/code")
    def confirm_sender(sender):
        try:
            service.senders.validate_sender_by_otp(sender, otp=request.get_json()["code"])
        except BadRequestError as error:
            return {"error": error.body["code"]}, 400
        return "", 204

    @app.post("/hooks")
    def note_bounce():
        app.bounced.append(request.get_json()["email"])
        return "", 204

    @app.get("/bounced")
    def list_bounced():
        return app.bounced

    return app
