"""The types of the official client for Node: the answers of generated mixes are values of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import random_mix
from official_models import COUNT
from typescript import needs_generators, run_package

_MODULES = Path(__file__).parents[1] / "flows" / "programs" / "js" / "node_modules"
#: The types of the answers with a body.
TYPES = {
    "getSmtpTemplates": "Brevo.GetSmtpTemplatesResponse",
    "createSmtpTemplate": "Brevo.CreateSmtpTemplateResponse",
    "getSmtpTemplate": "Brevo.GetSmtpTemplateOverview",
    "getEmailCampaigns": "Brevo.GetEmailCampaignsResponse",
    "createEmailCampaign": "Brevo.CreateEmailCampaignResponse",
    "getEmailCampaign": "Brevo.GetEmailCampaignResponse",
    "importContacts": "Brevo.ImportContactsResponse",
    "getProcesses": "Processes",
    "getProcess": "Brevo.GetProcessResponse & Moments",
}
#: Its processes lack members that the document has.
PROCESSES = """
type Moments = { created_at?: string; completed_at?: string };
type Processes = { count: number; processes: (Brevo.GetProcessesResponse.Processes.Item & Moments)[] };
"""

pytestmark = [
    pytest.mark.slow,  # the compiler reads the whole client
    needs_generators,
    pytest.mark.skipif(not (_MODULES / "@getbrevo").exists(), reason="npm ci --prefix tests/flows/programs/js"),
]


@pytest.fixture
def answers(make_api):
    """The answers with a body of some mixes, each once, by the operation."""
    found, api = {name: {} for name in TYPES}, make_api("empty")
    for seed in range(60):
        for name, _, answer in random_mix.play(api, seed):
            if name in TYPES and answer.status_code < 300:
                found[name][COUNT.sub(r'\1"\2"', answer.text.strip())] = None
    return found


def test_answers_have_the_types_of_the_client(answers, tmp_path):
    (tmp_path / "node_modules").symlink_to(_MODULES)
    lines = ['import type { Brevo } from "@getbrevo/brevo";', PROCESSES]
    lines += [f"export const {name}: ({TYPES[name]})[] = [{','.join(rows)}];" for name, rows in answers.items()]
    (tmp_path / "answers.ts").write_text("\n".join(lines), encoding="utf-8")
    options = {"strict": True, "noEmit": True, "skipLibCheck": True, "module": "node16", "target": "es2022"}
    (tmp_path / "tsconfig.json").write_text(json.dumps({"compilerOptions": options}), encoding="utf-8")

    ended = run_package("tsc", "--pretty", "false", cwd=tmp_path)

    assert all(answers.values())
    assert (ended.stdout, ended.returncode) == ("", 0)
