"""The assembly of a server: application, workspaces, effects, runtime."""

from typing import TYPE_CHECKING

from mockserver.app.lazy_patterns import lazy_patterns

# Before all that follows imports them.
with lazy_patterns("marshmallow.validate", "yaml.reader"):
    import marshmallow as marshmallow
    import yaml as yaml

if TYPE_CHECKING:
    from mockserver.app.application import create_app as create_app


def __dir__() -> list[str]:
    return sorted({*globals(), "create_app"})


def __getattr__(name: str) -> object:
    if name != "create_app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mockserver.app.application import create_app  # noqa: PLC0415  # with it comes Flask

    return create_app
