"""What is kept of all that happens in a workspace."""

from mockserver.core.traffic.ring import LOST, Feed


def numbers(items):
    return [item.number for item in items]


def test_feed_returns_later_items_oldest_first():
    feed = Feed()
    for kind in "abc":
        feed.add(kind, None)

    assert [item.kind for item in feed.after(1)] == ["b", "c"]
    assert (feed.after(3), feed.after(7)) == ([], [])


def test_full_feed_drops_its_oldest_items():
    feed = Feed()
    for _ in range(1_003):
        feed.add("a", None)

    assert numbers(feed.after(0)) == list(range(4, 1_004))
    assert (feed.lost(0), feed.lost(2), feed.lost(3), feed.lost(1_003)) == (3, 1, 0, 0)


def test_the_oldest_go_when_they_are_too_big():
    feed = Feed()
    for _ in range(5):
        feed.add("a", None, 1_000_000)

    assert numbers(feed.after(0)) == [2, 3, 4, 5]


def test_feed_loses_an_oversized_item_only():
    feed = Feed()
    for size in (10, 5 * 1024 * 1024, 10):
        feed.add("a", "told", size)

    assert [item.what for item in feed.after(0)] == ["told", LOST, "told"]
    assert feed.lost(0) == 0


def test_each_thing_is_put_into_words_once_for_all_who_look_on():
    feed, asked = Feed(), []
    feed.add("a", None)
    (item,) = feed.after(0)

    told = [feed.written(item, lambda item: asked.append(item.number) or b"words") for _ in range(3)]

    assert (told, asked) == ([b"words"] * 3, [1])


def test_the_words_count_as_what_is_kept():
    feed = Feed(10, 8_000)
    for _ in range(3):
        feed.add("a", None, 1_000)
    for item in feed.after(0):
        feed.written(item, lambda _: b"x" * 1_400)

    assert numbers(feed.after(0)) == [2, 3]


def test_the_words_count_where_they_belong():
    feed = Feed(10, 8_000)
    for _ in range(4):
        feed.add("a", None, 1_000)
    feed.written(feed.after(0)[2], lambda _: b"x" * 1_500)
    for _ in range(2):
        feed.add("a", None, 1_000)

    # The third one takes its words with it when it goes, which makes room for two.
    assert numbers(feed.after(0)) == [3, 4, 5, 6]
    for _ in range(2):
        feed.add("a", None, 1_000)
    assert numbers(feed.after(0)) == [4, 5, 6, 7, 8]


def test_the_words_for_what_has_gone_meanwhile_count_no_more():
    feed = Feed(10, 8_000)
    feed.add("a", None, 1_500)
    (gone,) = feed.after(0)
    for _ in range(4):
        feed.add("a", None, 1_400)

    assert feed.written(gone, lambda _: b"x" * 3_000)
    assert numbers(feed.after(0)) == [2, 3, 4, 5]
