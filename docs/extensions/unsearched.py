"""Pages for those who change the mock: the site has them, and its search leads users past them."""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder

#: The folder of these pages.
_FOLDER = "project/"


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", _leave_out)
    return {"parallel_read_safe": True}


def _leave_out(app: Sphinx) -> None:
    builder = app.builder
    if isinstance(builder, StandaloneHTMLBuilder):
        index_page = builder.index_page

        def index_users_page(name: str, *page: object) -> None:
            if not name.startswith(_FOLDER):
                index_page(name, *page)  # type: ignore[arg-type]  # as Sphinx calls it

        builder.index_page = index_users_page  # type: ignore[method-assign]  # Sphinx has no hook for this
