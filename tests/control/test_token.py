"""The control token: never empty, and perhaps in a file."""

from __future__ import annotations

import os

import pytest

from mockserver import Settings, create_app


def test_empty_or_unsendable_token_is_refused():
    for token, reason in [
        *((token, "the control token is empty") for token in ("", " ", "\n", "\t \n")),
        *((token, "cannot stand in a header") for token in ("a\nb", "a\0b", "a\x7f")),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=reason):
            create_app(Settings(control_token=token))


@pytest.mark.parametrize("written", [b"sesame", b"sesame\n", b"sesame\r\n", "sés-ame\n".encode()])
def test_a_token_may_stand_in_a_file(make_api, tmp_path, written):
    (tmp_path / "token").write_bytes(written)
    api = make_api(control_token_file=str(tmp_path / "token"))
    good = written.strip().decode("latin-1")

    assert api.client.get("/_mock/clock").status_code == 401
    assert api.client.get("/_mock/clock", headers={"Authorization": f"Bearer {good}"}).status_code == 200


def test_a_file_without_a_token_is_refused(tmp_path):
    for name, written, told in [
        ("none", b"", "No such file or directory"), ("", b"", "Is a directory"), ("token", b"", "is empty"),
        ("token", b" \n", "is empty"), ("token", b"\xff", "it is not UTF-8"),
    ]:  # fmt: skip
        (tmp_path / "token").write_bytes(written)
        with pytest.raises(ValueError, match=told) as refused:
            create_app(Settings(control_token_file=str(tmp_path / name)))
        assert str(tmp_path) in str(refused.value)


def test_a_token_that_is_given_twice_is_refused(tmp_path):
    (tmp_path / "token").write_text("a")

    with pytest.raises(ValueError, match="given twice"):
        create_app(Settings(control_token="a", control_token_file=os.fspath(tmp_path / "token")))
