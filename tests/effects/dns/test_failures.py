"""A DNS server that does what none should: the record is `timeout`, the reason tells why, and nothing takes long."""

import struct

import dns.flags
import dns.message
import pytest


def garbage(stub, question):
    return b"\xff" * 7


def empty_answer(stub, question):
    return b""


def another_id(stub, question):
    answer = stub.told(question)
    answer.id ^= 1
    return answer


def another_question(stub, question):
    return stub.told(dns.message.make_query("elsewhere.test", "TXT", id=question.id))


def an_echo(stub, question):
    return question


def cut_off_without_tcp(stub, question):
    answer = stub.answer(question)
    answer.flags |= dns.flags.TC
    return answer


def a_pointer_to_itself(stub, question):
    return stub.told(question).to_wire()[:12] + struct.pack("!HHH", 0xC00C, 16, 1)


@pytest.mark.parametrize(
    "reply", [garbage, empty_answer, another_id, another_question, an_echo, cut_off_without_tcp, a_pointer_to_itself]
)
def test_unusable_dns_answer_counts_as_timeout(stub, asking, authenticate, impatient, reply):
    stub.reply = lambda question: reply(stub, question)

    answer, seen, reason = authenticate(asking(stub.address))

    assert (answer.status_code, set(seen.values())) == (400, {"timeout"})
    assert f"the DNS server 127.0.0.1 port {stub.address.partition(':')[2]}" in reason


def test_silent_dns_server_counts_as_timeout(stub, asking, authenticate, impatient):
    stub.reply = lambda question: None

    answer, seen, reason = authenticate(asking(stub.address))

    assert (answer.status_code, set(seen.values())) == (400, {"timeout"})
    assert "did not answer for good.test" in reason


def test_a_question_that_is_lost_is_asked_again(stub, asking, authenticate, impatient, monkeypatch):
    monkeypatch.setattr("mockserver.effects.dns._TRIES", 100)  # a busy machine may be late several times
    stub.reply = lambda question: (
        stub.told(question) if stub.questions.count(question.question[0].to_text()) > 1 else None
    )

    answer, _, _ = authenticate(asking(stub.address))

    assert answer.status_code == 200


def test_where_an_answer_only_leads_on_the_next_name_is_asked_for(stub, asking, authenticate):
    def reply(question):
        if question.question[0].name.to_text().startswith("_dmarc"):
            return stub.answer(question, "CNAME _policy.elsewhere.test.")
        if question.question[0].name.to_text().startswith("_policy"):
            return stub.answer(question, 'TXT "v=DMARC1; p=none; rua=mailto:rua@dmarc.brevo.com"')
        return stub.told(question)

    stub.reply = reply

    answer, _, _ = authenticate(asking(stub.address))

    assert answer.status_code == 200


def test_names_that_lead_on_without_an_end_are_a_timeout(stub, asking, authenticate):
    stub.reply = lambda question: stub.answer(question, f"CNAME n{len(stub.questions)}.elsewhere.test.")

    _, seen, reason = authenticate(asking(stub.address))

    assert seen["dkim_record"] == "timeout"
    assert "mail._domainkey.good.test is the start of an endless chain of CNAME records" in reason


def test_undecodable_txt_record_is_shown_escaped(stub, asking, authenticate):
    stub.reply = lambda question: stub.answer(question, r'TXT "brevo-code:\255\000"')

    _, seen, reason = authenticate(asking(stub.address))

    assert seen["brevo_code"] == "wrong"
    assert r"good.test has 'brevo-code:�\x00', expected" in reason


def test_of_many_long_values_some_are_told(stub, asking, authenticate):
    stub.reply = lambda question: stub.answer(
        question, *(f'TXT "brevo {n}{"x" * 240}" "{"y" * 200}"' for n in range(9))
    )

    _, _, reason = authenticate(asking(stub.address))

    assert " and 5 more, expected" in reason
    assert "yyy" in reason
    assert "y" * 100 not in reason


def test_a_name_that_is_too_long_for_dns_is_missing(stub, asking, authenticate):
    name = ".".join(["a" * 61] * 4)

    _, seen, reason = authenticate(asking(stub.address, name), name)

    assert seen["dkim_record"] == "missing"
    assert f"mail._domainkey.{name} is too long for a DNS name" in reason


def test_a_server_may_be_given_by_name(stub, asking, authenticate):
    answer, _, _ = authenticate(asking(stub.address.replace("127.0.0.1", "localhost")))

    assert answer.status_code == 200


def test_a_server_whose_name_leads_nowhere_is_a_timeout(asking, authenticate):
    _, seen, reason = authenticate(asking(f"{'a' * 64}.invalid:53"))

    assert set(seen.values()) == {"timeout"}
    assert " at the DNS server aaaa" in reason


def test_without_a_server_the_reason_says_so(asking, authenticate):
    answer, seen, reason = authenticate(asking(None))

    assert (answer.status_code, set(seen.values())) == (400, {"timeout"})
    assert reason.count("behaviour.dns is resolver, but the server was started without --dns-resolver") == 1


def test_authenticated_domain_sends_no_dns_query_when_authenticated_again(stub, make_api):
    api = make_api({"domains": [{"name": "good.test", "state": "authenticated"}]}, dns_resolver=stub.address)

    assert api.put("/v3/senders/domains/good.test/authenticate").status_code == 200
    assert stub.questions == []
