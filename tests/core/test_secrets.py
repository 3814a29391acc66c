"""The one predicate for the names of secrets, in any spelling."""

import pytest

from mockserver.core.text.secrets import is_secret, is_secret_pair

SECRETS = """
authToken secretKey privateKey webhookSecret signingSecret smtp_key passwd pwd passphrase credentials sessionId jwt
bearer X-Auth-Token X-Access-Token Private-Token X-Webhook-Secret apikey Set-Cookie X-Api-Key access_token api_keys
sig signature pass hmac csrf_token X-CSRF-Token xsrfToken password password2 new_password passwordConfirmation otp
OTPCode user[password] client.secret X-Hub-Signature-256 Ocp-Apim-Subscription-Key APIKeys refreshToken id_token
code_verifier code_challenge client_assertion Proxy-Authorization PHPSESSID JSESSIONID connect.sid DB_PASSWORD
AWS_SECRET_ACCESS_KEY X-Amz-Security-Token DownloadToken verificationCode backup_codes auth_code PIN Cookie partner-key
Authorization tokens ticket revoked_keys accesskey userPwd
"""
OTHERS = """
page_token next_page_token nextToken pageToken token_count max_tokens maxTokens prompt_tokens status_code country_code
errorCode zip_code sku_codes public_key primaryKey idempotencyKey monkey keyboard turkey author authority bypass compass
mapping shipping spin config design signed_at token_type tokenType token_endpoint expires_in key_id secret_name
password_policy code_challenge_method passed session_count cookies_enabled opinion state nonce email assignee
"""
#: Names whose values decide, with a value that is no secret and one that is.
BY_VALUE = [
    ("key", "orders-eu", "a8f7c2"), ("key", "X-Team", "tracker-key-4"), ("key", 2_003_005, "48151623421234"),
    ("key", "list", "xkeysib-acme"), ("storage_key", "orders", "q1w2e3"), ("keys", "name", "q1w2e3"),
    ("code", 201, 918_273), ("code", "invalid_parameter", "SUMMER24"), ("code", "404", "371940"),
    ("code", "an error of another kind", "4/0AX4XfWh"), ("session", "morning", "s3ss10n"), ("auth", "none", "hunter2"),
    ("auth", {"type": "bearer"}, "Basic abc"), ("password", "", "hunter"), ("token", True, "hunter"),
    ("tokens", [{"id": 1}], ["a"]), ("tokens", [{"id": 1}], [{"text": "a"}]), ("otp", None, [1]),
    ("token", 0.5, 4_711), ("password", 12, 1_000), ("otp", 0.5, 12),
]  # fmt: skip


@pytest.mark.parametrize("name", SECRETS.split())
def test_name_of_a_secret_is_known_by_its_ending(name):
    assert is_secret(name)
    assert is_secret(name, "hunter")


@pytest.mark.parametrize("name", OTHERS.split())
def test_name_that_only_resembles_those_of_secrets_is_none(name):
    assert not is_secret(name, "q1w2e3r4")


@pytest.mark.parametrize(("name", "shown", "hidden"), BY_VALUE)
def test_value_decides_where_a_name_does_not_tell(name, shown, hidden):
    assert (is_secret(name, shown), is_secret(name, hidden)) == (False, True)


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ("code=abc", True), ("code=201", False), ("c%6Fde=abc", True), ("api%2Dkey=x", True), ("page=2", False),
        ("token", False),
    ],
)  # fmt: skip
def test_pair_of_a_query_is_judged_decoded(pair, expected):
    assert is_secret_pair(pair) is expected
