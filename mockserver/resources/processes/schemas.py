"""Processes on the wire."""

from __future__ import annotations

from marshmallow import fields, validate

from mockserver.resources.processes.model import NAMES
from mockserver.resources.processes.process import COUNTS, MACHINE
from mockserver.web.schemas.evidence import OPENAPI, documented
from mockserver.web.schemas.fields import Choice, Int64, MillisecondMoment, Range, Text, Url, identifier
from mockserver.web.schemas.schema import Input, Output


class ProcessPath(Input):
    process_id = identifier("processId")


class ProcessPage(Input):
    limit = Int64(
        text=True, load_default=10, validate=[validate.Range(min=0), Range(max=50)],
        **documented("rows of a page", bounds=OPENAPI),
    )  # fmt: skip
    offset = Int64(text=True, load_default=0, validate=validate.Range(min=0), **documented("rows before the page"))
    sort = Choice("asc", "desc", load_default="desc", **documented("by creation"))


#: The counts of refused and duplicate rows.
ImportInfo = Output.from_dict({name: Int64(**documented()) for name in COUNTS}, name="ImportInfo")


class ExportInfo(Output):
    total_records = Int64(**documented())
    file_size = Int64(**documented("in bytes"))


class Info(Output):
    imported = fields.Nested(ImportInfo, data_key="import", **documented("of an import"))
    export = fields.Nested(ExportInfo, **documented("of an export with its file"))


class ProcessOut(Output):
    id = Int64(required=True, **documented())
    name = Choice(*NAMES, required=True, **documented())
    status = Choice(*MACHINE.states, required=True, **documented())
    info = fields.Nested(Info, **documented())
    export_url = Url(**documented("of an export with its file"))
    error = Text(**documented("why it failed"))
    created_at = MillisecondMoment(**documented(format="date-time"))
    completed_at = MillisecondMoment(**documented("of a finished process", format="date-time"))


class Processes(Output):
    processes = fields.List(fields.Nested(ProcessOut), required=True, **documented())
    count = Int64(required=True, **documented())
