"""JSON values as HTML that folds."""

import pytest

from mockserver.dashboard.rendering import folded


@pytest.mark.parametrize(
    ("value", "html"),
    [
        (1, '<code class="plain"><bdi>1</bdi></code>'),
        (None, '<code class="plain"><bdi>null</bdi></code>'),
        ("<b>", '<code class="text"><bdi>&#34;&lt;b&gt;&#34;</bdi></code>'),
        ({}, "<code>{}</code>"),
        ([], "<code>[]</code>"),
    ],
)
def test_small_json_value_is_written_unfolded(value, html):
    assert folded(value) == html


def test_members_have_names_and_ids():
    assert folded({"<a>": [True]}, "body") == (
        '<details id="body" class="json" open><summary>1 field</summary><ul>'
        '<li><bdi class="name">&lt;a&gt;</bdi> <details id="body-0" class="json" open><summary>1 item</summary><ul>'
        '<li><bdi class="name">0</bdi> <code class="plain"><bdi>true</bdi></code></li></ul></details></li>'
        "</ul></details>"
    )


def test_long_and_deep_values_are_cut():
    html = folded("x" * 5_000)
    assert "… and 1,002 characters more" in html
    assert len(html) < 4_200
    assert "and 9500 more" in folded(list(range(10_000)))
    value = []
    for _ in range(50_000):
        value = [value]
    assert folded(value).count("<details") == 12
