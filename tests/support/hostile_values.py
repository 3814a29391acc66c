"""Values that would run a script, load something or break a page, were they not shown as text."""

from __future__ import annotations

import itertools
import random
from html.parser import HTMLParser
from urllib.parse import urlsplit

#: What each value does where it is not shown as text; all of it names `evil`.
_ACTS = (
    "<script>evil()</script>", "<img src=x onerror=evil()>", "<svg/onload=evil()>",
    "<svg><script>evil()</script></svg>", "<iframe src=//evil.test></iframe>",
    "<iframe srcdoc='<script>parent.evil()</script>'>", "<a href=javascript:evil()>here</a>",
    "<link rel=stylesheet href=//evil.test/a.css>", "<style>@import '//evil.test/a.css'; body{display:none}</style>",
    "<meta http-equiv=refresh content='0;url=//evil.test'>", "<base href=//evil.test>",
    "<form action=//evil.test><button>evil</button></form>", "<input autofocus onfocus=evil()>",
    "<details open ontoggle=evil()>", "<math><mi xlink:href='javascript:evil()'>",
    "<object data=//evil.test></object>", "<video><source onerror=evil()></video>", "<evil onclick=evil()>",
    "javascript:evil()", "JaVaScRiPt&colon;evil()", "data:text/html,<script>evil()</script>", "//evil.test/",
    "{{ evil() }}", "{% evil %}", "${evil()}", "&lt;script&gt;evil()&lt;/script&gt;", "&#60;script&#62;evil()",
    "<!--<evil>", "<![CDATA[<evil>", "</title><evil>", "</script><evil>", "</textarea><evil>",
    "</pre></code></main></body><evil>", "evil\u202egnp.exe", "evil\u2066\u2067\u2068", "evil\u0000\u0007\u001b[31m",
    "e\u0301" * 40 + "vil", "evil" * 300, "evil\n\n\n\n\nevil", "evil/../../../_mock/reset", "evil?x=<evil>&y=#<evil>",
    "evil%00%0d%0aSet-Cookie: evil", "~!@#$%^&*()_+`-={}|[]\\:;'<>?,./evil", "constructor.evil", "__proto__.evil",
)  # fmt: skip
#: What closes the place in which a value stands, before it acts.
_CLOSES = (
    "", '"', "'", '">', "'>", "-->", "`", "</bdi>", "</code>", '\\"', "&quot;>", '" evil="', "' evil='", ">", "]]>",
    " ",
)  # fmt: skip
#: What stands after it.
_ENDS = ("", '"', "'", "<!--", "//", "<evil y='", "\u0000")


def values(count):
    """So many different values, the same ones in every run."""
    found = ["".join(parts) for parts in itertools.product(_CLOSES, _ACTS, _ENDS)]
    chance = random.Random(14)
    chance.shuffle(found)
    numbered = itertools.chain(
        found, (f"{chance.choice(found)}{chance.choice(found)}{number}" for number in itertools.count())
    )
    return list(itertools.islice(numbered, count))


class Page(HTMLParser):
    """A page as it was served: what of it could act, and would not be there without hostile values."""

    def __init__(self, text):
        super().__init__()
        self.bad = []
        self.texts = []
        self.feed(text)
        self.close()

    @property
    def text(self):
        return "".join(self.texts)

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        if tag in ("evil", "base", "object", "embed", "math", "video", "style") or len(set(names)) < len(names):
            self.bad.append((tag, attrs))
        for name, value in attrs:
            if name.startswith("on") or name in ("style", "srcdoc", "evil", "xlink:href"):
                self.bad.append((tag, name, value))
            if name in ("href", "src", "action", "data-then", "data-path") and not self._is_here(value):
                self.bad.append((tag, name, value))
        if tag == "script" and not dict(attrs).get("src"):
            self.bad.append((tag, attrs))
        if tag == "meta" and "http-equiv" in names:
            self.bad.append((tag, attrs))

    def handle_data(self, data):
        self.texts.append(data)

    @staticmethod
    def _is_here(address):
        """Whether an address leads to this server, by a path."""
        parts = urlsplit(address)
        return (not parts.scheme and not parts.netloc) or address == "data:,"
