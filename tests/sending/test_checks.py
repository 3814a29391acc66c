"""What POST /v3/smtp/email takes and refuses: the table `checks.yaml`, row by row."""

from pathlib import Path

import yaml

ROWS = yaml.safe_load(Path(__file__).with_name("checks.yaml").read_text(encoding="utf-8"))


def recipients(count):
    return [{"email": f"user{number}@example.test"} for number in range(count)]


def spelt_out(members):
    """Members in which numbers of the table stand for so many recipients, versions or characters."""
    members = dict(members)
    for name in {"to", "cc"} & members.keys():
        if isinstance(members[name], int):
            members[name] = recipients(members[name])
        for party in members[name] or ():
            if isinstance(party, dict) and type(party.get("name")) is int and party["name"] > 7:
                party["name"] *= "n"
    for name in {"params", "headers"} & members.keys():
        if isinstance(members[name], dict):
            long = {key: "x" * value for key, value in members[name].items() if type(value) is int and value > 7}
            members[name] = {**members[name], **long}
    versions = members.get("messageVersions")
    if isinstance(versions, int):
        members["messageVersions"] = [{"to": [row]} for row in recipients(versions)]
    if isinstance(versions, list) and len(versions) == 2 and isinstance(versions[0], int):
        count, size = versions
        members["messageVersions"] = [{"to": [row], "params": {"a": "x" * size}} for row in recipients(count)]
    return members


def test_bodies_of_the_table_are_answered_as_it_says(sending, smallest):
    for row in ROWS:
        here = sending(account={"plan": [{"type": "free", "credits": -1}]})
        kept = {name: value for name, value in smallest.items() if name not in row.get("without", ())}

        answer = here.post(row["body"] if "body" in row else {**kept, **spelt_out(row.get("with", {}))})

        assert answer.status_code == row.get("status", 400), (row["name"], answer.text, here.reason())
        if answer.status_code >= 400:
            assert answer.json == {"code": row["code"], "message": row["message"]}, row["name"]
            assert (here.mails(), here.told()) == ([], []), row["name"]
