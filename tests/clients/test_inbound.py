"""The official client libraries read a received mail: its history, and its attachments."""

import base64
import json
import os
import subprocess
from pathlib import Path

import httpx
import pytest
from brevo import Brevo, NotFoundError
from brevo.core.api_error import ApiError

_JS = Path(__file__).parents[1] / "flows" / "programs" / "js"
FILE = bytes(range(256))
UUID = "3f1e9c52-8f0a-4c1d-9b7e-0a1b2c3d4e01"
MAIL = {
    "date": "-PT1H", "uuid": UUID, "sender": "bob@example.test", "recipient": "help@in.acme.test", "subject": "Hi",
    "message_id": "<1@example.test>",
    "attachments": [{"name": "a.png", "content_type": "image/png", "content": base64.b64encode(FILE).decode(),
                     "content_id": "logo", "token": "token-1"}],
}  # fmt: skip
PROGRAM = """
import { connect, refusal } from "./api.mjs";
const inbound = connect().inboundParsing;
const mail = await inbound.getInboundEmailEventsByUuid({ uuid: process.argv[1] });
const file = await inbound.getInboundEmailAttachment({ downloadToken: "token-1" });
const gone = await refusal(inbound.getInboundEmailAttachment({ downloadToken: "unknown" }));
const content = Buffer.from(await file.arrayBuffer()).toString("base64");
console.log(JSON.stringify({ mail, content, gone: [gone.constructor.name, gone.statusCode] }));
"""


@pytest.fixture
def workspace(server):
    with server.workspace({"extends": "empty", "inbound_events": [MAIL]}) as workspace:
        yield workspace


def test_python_client_reads_a_mail_and_its_attachment(workspace):
    with httpx.Client() as http:
        client = Brevo(api_key=workspace.api_key, base_url=workspace.url, httpx_client=http, max_retries=0)
        found = client.inbound_parsing.get_inbound_email_events_by_uuid(UUID)
        content = b"".join(client.inbound_parsing.get_inbound_email_attachment("token-1"))
        with pytest.raises(NotFoundError):
            b"".join(client.inbound_parsing.get_inbound_email_attachment("unknown"))
        with pytest.raises(ApiError) as unknown:
            client.inbound_parsing.get_inbound_email_events_by_uuid(UUID.replace("1", "2"))

    type(found).model_validate(found.model_dump(by_alias=True, exclude_unset=True))
    (file,) = found.attachments
    assert (found.subject, found.message_id, found.delivered_at) == ("Hi", "<1@example.test>", None)
    assert (file.name, file.content_type, file.content_id, file.content_length) == ("a.png", "image/png", "logo", 256)
    assert [row.type for row in found.logs] == ["received", "processed"]
    assert content == FILE
    assert unknown.value.status_code == 404


@pytest.mark.skipif(
    not (_JS / "node_modules" / "@getbrevo").exists(),
    reason="needs the official client: npm ci --prefix tests/flows/programs/js",
)
def test_node_client_reads_a_mail_and_its_attachment(workspace):
    done = subprocess.run(
        ["node", "--input-type=module", "-e", PROGRAM, UUID], cwd=_JS, capture_output=True, text=True, timeout=30,
        check=False,
        env={**os.environ, "BREVO_API_KEY": workspace.api_key,
             "BREVO_BASE_URL": workspace.url},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)

    assert (found["mail"]["subject"], found["mail"]["attachments"][0]["contentLength"]) == ("Hi", 256)
    assert base64.b64decode(found["content"]) == FILE
    assert found["gone"] == ["NotFoundError", 404]
