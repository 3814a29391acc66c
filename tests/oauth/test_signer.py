"""The signer of a server, and of another start of it that has the key of the first."""

from __future__ import annotations

import pytest
from memory_storage import MemoryStorage

from mockserver.resources.oauth.signing import BadSignature, Signer


def test_a_token_is_read_by_another_start_that_has_the_key():
    storage = MemoryStorage()
    token = Signer(storage).sign({"sub": "1"})
    again = Signer(storage)
    assert again.read(token) == {"sub": "1"}
    assert again.public == Signer(storage).public


def test_reading_a_text_draws_no_key():
    storage = MemoryStorage()
    with pytest.raises(BadSignature, match="no token has been signed yet"):
        Signer(storage).read("a.b.c")
    assert storage.secret("oauth signing key") is None


def test_an_access_token_opens_its_account_at_the_next_start(make_realm, make_api, tmp_path):
    store = f"sqlite:{tmp_path / 'store.db'}"
    realm = make_realm(settings={"store": store})
    token = realm.post("token", grant_type="client_credentials").json["access_token"]
    realm.api.app.close()

    realm.api = make_api("empty", store=store)

    assert realm.call(token).status_code == 200
    realm.api.app.close()
