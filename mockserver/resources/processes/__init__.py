"""Processes: imports of contacts, and the reads of all processes."""

from mockserver.core.lazy import lazy
from mockserver.resources.processes.routes import PROCESSES
from mockserver.resources.resource import Resource

_process, _section = lazy(__package__, "process", "section")

RESOURCE = Resource(
    "processes",
    PROCESSES.operations,
    lazy_lifecycles={"process": _process.PROCESS},
    has_further_machines=True,
    lazy_section=_section.SECTION,
    members=frozenset({"processes"}),
)
