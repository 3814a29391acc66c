"""The page Search: one text in all that a workspace keeps, and in the workspaces of the server."""

from urllib.parse import urljoin

import pytest
from web_page import links, plain, read


@pytest.fixture
def search(api):
    """A function that searches for a text and returns the hits of each kind, as texts."""

    def find(text, path="/_mock/ui/search"):
        page = read(api.get(path, query_string={"q": text}).text)
        return {
            section.one("h2").text: [row.text for row in section.all("li")]
            for section in page.by_id("main").all("section")
        }

    return find


@pytest.fixture
def busy(api):
    """A workspace with a sender, its e-mail, a webhook, its delivery and a contact."""
    api.put("/_mock/clock", json={"now": "2027-01-15T09:00:00Z", "frozen": True})
    hook = {"id": 7, "url": "http://localhost/_mock/receiver/shop", "events": ["delivered"], "description": "Orders"}
    campaigns = [{"name": "Harvest"}, {"name": "Receipt", "kind": "email_template", "subject": "Harvest paid"}]
    seed = {"webhooks": [hook], "contacts": [{"email": "cy@kin.test"}], "campaigns": campaigns}
    api.post("/_mock/seed", json=seed)
    api.post("/v3/senders", json={"name": "Jo", "email": "jo@fresh.test"})
    api.post("/v3/senders/domains", json={"name": "bücher.test"})
    api.post("/_mock/trigger", json={"event": "delivered", "to": "ann@example.test"})
    api.post("/_mock/workspaces", json={"name": "w-1", "label": "tests/test_shop.py::test_order"})
    return api


#: Texts, and the kinds of rows that mention each.
FOUND = {
    "JO@fresh": {"Requests 1", "Sent e-mails 1", "Senders 1"},
    "verify your": {"Sent e-mails 1"},
    "createDomain": {"Requests 1"},
    "bücher": {"Requests 1", "Domains 1"},
    "xn--bcher": {"Requests 1", "Domains 1"},
    "ann@example.test": {"Webhook deliveries 1"},
    "receiver/shop": {"Webhook deliveries 1", "Webhooks 1"},
    "cy@kin": {"Contacts 1"},
    "harvest": {"Campaigns 1", "Templates 1"},
    "test_order": {"Workspaces 1"},
}


@pytest.mark.parametrize("text", FOUND)
def test_a_text_is_found_in_each_kind_of_rows(busy, search, text):
    assert search(text).keys() == FOUND[text]


def test_ids_find_their_rows(busy, search):
    (request, *_) = busy.get("/_mock/requests?operation=createSender").json["items"]
    (mail,) = busy.get("/_mock/mailbox?to=jo@fresh.test").json["items"]

    assert search(request["id"])["Requests 1"] == ["2027-01-15 09:00:00 201 POST createSender /v3/senders"]
    assert search(mail["message_id"])["Sent e-mails 1"] == ["2027-01-15 09:00:00 Verify your sender to jo@fresh.test"]


def test_each_hit_leads_to_its_page(busy):
    for text in FOUND:
        path = f"/_mock/ui/search?q={text}"
        main = busy.get(path).text.partition("<main")[2]
        addresses = links(main, path, "a")
        assert addresses, text
        assert {busy.get(address).status_code for address in addresses} == {200}, text


def test_a_workspace_is_found_from_another_one_and_leads_to_its_requests(busy):
    path = "/w/w-1/_mock/ui/search?q=default"
    main = busy.get(path).text.partition("<main")[2]
    assert links(main, path, "a") == ["/_mock/ui/requests", "/w/w-1/_mock/ui/requests?text=default"]


def test_only_ten_rows_of_a_kind_are_listed_with_a_link_to_all(busy, search):
    for number in range(12):
        busy.get(f"/v3/senders/{number}/odd")

    assert len(search("/odd")["Requests 12"]) == 10
    path = "/_mock/ui/search?q=/odd"
    (every,) = [link for link in links(busy.get(path).text, path, "a") if "kinds=request" in link]
    assert plain(busy.get(every).text).count("/odd") >= 12


#: Kinds of rows, the link to all that mention a text, and how many rows that page lists.
LISTS = {
    "mail?text={}": ('id="mail-', 1),
    "webhooks?text={}": ('id="delivery-', 0),
    "requests?text={}": ('id="r-', 1),
}


@pytest.mark.parametrize("path", LISTS)
def test_lists_are_filtered_by_the_same_text(busy, path):
    begins, number = LISTS[path]
    busy.post("/v3/senders", json={"name": "Bo", "email": "bo@other.test"})
    assert busy.get(f"/_mock/ui/{path.format('jo@fresh')}").text.count(begins) == number


def test_a_text_without_a_hit_says_what_was_searched(busy):
    text = plain(busy.get("/_mock/ui/search?q=zebra").text)
    assert "No match." in text
    assert "Searched: Requests 2, Sent e-mails " in text
    assert "Workspaces 2." in text


def test_without_a_text_the_page_says_what_it_finds(api):
    assert "a part of an e-mail address, an id, a message id" in plain(api.get("/_mock/ui/search").text)


def test_every_page_has_the_field_in_its_header(api):
    for path in ("/_mock/ui/mail", "/w/default/_mock/ui/clock"):
        form = read(api.get(path).text).one("form", class_="search")
        assert urljoin(path, form.attributes["action"]) == f"{path.partition('_mock')[0]}_mock/ui/search"


def test_the_field_keeps_a_hostile_text_as_text(api):
    html = api.get("/_mock/ui/search", query_string={"q": '"><script>x</script>' * 50}).text
    assert "<script>x" not in html
    field = read(html).by_id("search")
    assert len(field.attributes["value"]) == 200


def test_a_search_leads_to_the_events_of_the_timeline_with_its_text(busy):
    path = "/_mock/ui/search?q=%2F_mock%2Ftrigger"
    (timeline,) = [link for link in links(busy.get(path).text, path, "a") if "/requests?text=" in link]

    assert "POST /_mock/trigger" in plain(busy.get(timeline).text)
