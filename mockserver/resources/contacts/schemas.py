"""Contacts, lists and folders on the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from marshmallow import ValidationError, fields

from mockserver.core.contract.errors import INVALID_PARAMETER, OUT_OF_RANGE
from mockserver.resources.contacts import rows
from mockserver.resources.section import parse_instant
from mockserver.web.schemas.errors import Longest, Sentence
from mockserver.web.schemas.evidence import CLIENT, OPENAPI, documented
from mockserver.web.schemas.fields import (
    Choice,
    Day,
    Email,
    Flag,
    Int64,
    Json,
    List,
    MillisecondMoment,
    NotBlank,
    Range,
    Stated,
    StatedText,
    Text,
    TextOrNumber,
    Url,
    identifier,
    is_plain,
)
from mockserver.web.schemas.schema import Compact, Input, Output

#: How many contacts a call adds to a list or removes from it, and how many it asks for by their ids (documented).
_MOST_CHOSEN, _MOST_IDS = 150, 20
#: The most characters or items of an import (documented: 10 MB).
_LARGEST_IMPORT = 10 * 1024 * 1024
#: The members of a contact in `jsonBody`, as JSON schemas.
_IMPORTED = {"email": {"type": "string"}, "attributes": {"type": "object"}}


def _invalid(text: str) -> Sentence:
    return Sentence(INVALID_PARAMETER, text)


class _Email(Stated, Email):
    """An e-mail address, or an empty text."""

    def deserialize(self, value: Any, attr: str | None = None, data: Any = None, **kwargs: Any) -> Any:
        return value if value == "" else super().deserialize(value, attr, data, **kwargs)


class _ExtId(Stated, TextOrNumber):
    """The customer's id of a contact, or an empty text."""


class _Ids(Stated, List):
    """Ids of lists."""


class _Flag(Stated, Flag):
    """A JSON boolean."""


class _FolderId(Stated, Int64):
    """The id of a folder."""


class _Chosen(Stated, List):
    """Identifiers of contacts to add or remove."""

    def __init__(self, inner: type[fields.Field[Any]], what: str, **kwargs: Any) -> None:
        super().__init__(
            inner,
            **kwargs,
            sentence="emails and extIds must be texts and ids integers",
            validate=_check_number,
            **documented(f"{what}, at most {_MOST_CHOSEN}", bounds=CLIENT, maxItems=_MOST_CHOSEN),
        )


def _check_number(values: list[Any]) -> None:
    if len(values) > _MOST_CHOSEN:
        raise ValidationError([Sentence(OUT_OF_RANGE, f"At most {_MOST_CHOSEN} contacts are taken at once")])


class _Numbers(List):
    """Ids in a query: repeated parameters, or comma-separated values."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        texts = value if isinstance(value, list) else [value]
        numbers = [one for text in texts for one in str(text).split(",")]
        self._validate(numbers)  # how many there are, before each is read
        return super()._deserialize(numbers, attr, data, **kwargs)


class _Attributes(fields.Dict):
    """The attributes of a contact by name: texts, numbers, booleans, lists of these, or null."""

    _email = Email()

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> dict[str, Any]:
        if not isinstance(value, dict) or not all(map(is_value, value.values())):
            raise ValidationError([_invalid("attributes is not valid")])
        email, phone, ext_id = (value.get(name) for name in ("EMAIL", "SMS", "EXT_ID"))
        if email not in (None, "") and not self._is_email(email):
            raise ValidationError([_invalid("Invalid email address")])
        if phone not in (None, "") and rows.digits(rows.written(phone)) is None:
            raise ValidationError([_invalid("Invalid phone number")])
        if isinstance(ext_id, bool | list) or len(rows.written(ext_id)) > rows.LONGEST:
            raise ValidationError([_invalid("ext_id is not valid")])
        return value

    def _is_email(self, value: Any) -> bool:
        try:
            self._email.deserialize(value)
        except ValidationError:
            return False
        return True


def is_value(value: Any) -> bool:
    return value is None or is_plain(value) or (isinstance(value, list) and all(map(is_plain, value)))


class _Since(Stated, fields.Field[datetime]):
    """An RFC 3339 date-time; a blank replaces an unencoded plus sign."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> datetime:
        try:
            return parse_instant(str(value).replace(" ", "+"))
        except ValueError as error:
            raise ValidationError("not a date-time") from error


class _Count(Int64):
    """A non-negative integer of a query."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        number = super()._deserialize(value, attr, data, **kwargs)
        if number < 0:
            raise self.make_error("invalid")
        return number


class _Filter(Stated, fields.String):
    """`equals(NAME,"value")`, loaded as name and value."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        name, comma, wanted = text.removeprefix("equals(").removesuffix(")").partition(",")
        if not comma or not text.startswith("equals(") or not text.endswith(")"):
            raise self.make_error("invalid")
        return name.strip(), wanted.strip().replace('"', "")


def _limit(default: int, most: int) -> _Count:
    return _Count(
        text=True,
        load_default=default,
        validate=Range(max=most),
        **documented("rows of a page", bounds=OPENAPI, minimum=0),
    )


class _Page(Input):
    offset = _Count(text=True, load_default=0, **documented("rows before the page", minimum=0))
    sort = Choice("asc", "desc", load_default="desc", **documented("by creation"))


# ---------------------------------------------------------------------- contacts

_SINCE = "modifiedSince and createdSince must be UTC date-times"
_BOOLEANS = "emailBlacklisted and smsBlacklisted must be booleans"


class ContactPath(Input):
    identifier = Text(required=True, **documented("an e-mail address, a phone number, or an id"))


class _Kind(Stated, Choice):
    """A kind of identifiers."""


class ContactKind(Input):
    kind = _Kind(
        *rows.KINDS,
        data_key="identifierType",
        sentence="identifierType is not valid",
        **documented("what the identifier is; guessed if left out"),
    )


class ContactStatistics(ContactKind):
    startDate = Day(**documented("of the statistics, which are empty here"))
    endDate = Day(**documented("as startDate"))


class ContactFilter(_Page):
    limit = _limit(50, 1000)
    modified_since = _Since(data_key="modifiedSince", sentence=_SINCE, **documented(format="date-time"))
    created_since = _Since(data_key="createdSince", sentence=_SINCE, **documented(format="date-time"))
    ids = _Numbers(Int64(text=True), validate=Longest(_MOST_IDS), **documented(source=CLIENT, bounds=CLIENT))
    list_ids = _Numbers(Int64(text=True), data_key="listIds", **documented("contacts of any of these lists"))
    segmentId = Int64(text=True, **documented("not looked at (proposed)"))
    filter = _Filter(
        sentence="filter is not valid", **documented('equals(NAME,"value")', pattern=r"^equals\([^,]*,[^,]*\)$")
    )


class _Addressed(Compact):
    email = _Email(sentence="Invalid email address", **documented("required without ext_id and the attribute SMS"))


class _ContactMembers(Compact):
    attributes = _Attributes(**documented("by name; an update removes those that are null or empty"))
    ext_id = _ExtId(sentence="ext_id is not valid", validate=Longest(rows.LONGEST), **documented("the user's own id"))
    list_ids = _Ids(Int64, data_key="listIds", sentence="listIds is not valid", **documented("lists to be joined"))

    email_blacklisted = _Flag(data_key="emailBlacklisted", sentence=_BOOLEANS, **documented("gets no e-mails"))
    sms_blacklisted = _Flag(data_key="smsBlacklisted", sentence=_BOOLEANS, **documented("gets no text messages"))
    smtpBlacklistSender = List(Text, **documented("not looked at (proposed)"))
    force_merge = Flag(data_key="forceMerge", **documented("merge contacts that share an identifier", source=CLIENT))


class NewContact(_ContactMembers, _Addressed):
    update_enabled = Flag(data_key="updateEnabled", **documented("change the contact that is there"))
    get_id = Flag(data_key="getId", **documented("answer with the id of a contact that is there", source=CLIENT))


class ContactChanges(_ContactMembers):
    unlink_list_ids = _Ids(
        Int64, data_key="unlinkListIds", sentence="unlinkListIds is not valid", **documented("lists to be left")
    )


class ContactCreated(Output):
    id = Int64(**documented())


class ContactOut(Output):
    id = Int64(required=True, **documented())
    email = Email(attribute="shown_email", **documented("without an address: its number and @mailin-sms.com"))
    emailBlacklisted = Flag(attribute="email_blacklisted", required=True, **documented())
    smsBlacklisted = Flag(attribute="sms_blacklisted", required=True, **documented())
    whatsappBlacklisted = Flag(
        attribute="whatsapp_blacklisted", required=True, **documented("always false (proposed)", source=CLIENT)
    )
    createdAt = MillisecondMoment(attribute="created_at", required=True, **documented())
    modifiedAt = MillisecondMoment(attribute="modified_at", required=True, **documented())
    listIds = fields.List(Int64, attribute="list_ids", required=True, **documented())
    attributes = fields.Dict(attribute="shown_attributes", required=True, **documented())


class ContactInfo(ContactOut):
    statistics = fields.Dict(required=True, **documented("empty (proposed)"))


class Contacts(Output):
    contacts = fields.List(fields.Nested(ContactOut), required=True, **documented())
    count = Int64(required=True, **documented("of all that the query asks for"))


# ---------------------------------------------------------------------- lists


class ListPath(Input):
    list_id = identifier("listId")


class ListPage(_Page):
    limit = _limit(10, 50)


class ListStatistics(Input):
    startDate = Text(**documented("of campaignStats, which are empty here"))
    endDate = Text(**documented("as startDate"))


class MemberFilter(_Page):
    limit = _limit(50, 500)
    modified_since = _Since(
        data_key="modifiedSince", sentence="modifiedSince must be a UTC date-time", **documented(format="date-time")
    )


class NewList(Compact):
    name = StatedText(required=True, absent="List name is missing", sentence="List name is not valid", **documented())
    folder_id = _FolderId(
        data_key="folderId", required=True, absent="Folder ID is missing", sentence="Folder ID is not valid",
        **documented(),
    )  # fmt: skip


class ListChanges(Compact):
    name = StatedText(validate=NotBlank(), sentence="List name is not valid", **documented("one of the two is needed"))
    folder_id = _FolderId(data_key="folderId", sentence="Folder ID is not valid", **documented("as name"))


class ChosenContacts(Compact):
    """Identifiers of contacts; the first member with identifiers counts."""

    emails = _Chosen(Text, "addresses in lower case")
    ids = _Chosen(Int64, "ids of contacts")
    ext_ids = _Chosen(Text, "the customer's own ids", data_key="extIds")


class ContactsToRemove(ChosenContacts):
    all = Flag(**documented("all contacts of the list, whatever else there is"))


class Created(Output):
    id = Int64(required=True, **documented())


class _Counts(Output):
    id = Int64(required=True, **documented())
    name = Text(required=True, **documented())
    uniqueSubscribers = Int64(attribute="unique", required=True, **documented("all contacts, each once"))
    totalSubscribers = Int64(attribute="total", required=True, **documented("those that are not blacklisted"))
    totalBlacklisted = Int64(attribute="blacklisted", required=True, **documented())


class ListOfFolder(_Counts):
    """A list without its folder."""


class ListOut(_Counts):
    folderId = Int64(attribute="folder_id", required=True, **documented())


class ListInfo(ListOut):
    createdAt = MillisecondMoment(attribute="created_at", required=True, **documented())
    dynamicList = Flag(attribute="dynamic", **documented("always false (proposed)"))
    campaignStats = fields.List(fields.Dict, attribute="statistics", **documented("empty (proposed)"))


class Lists(Output):
    lists = fields.List(fields.Nested(ListOut), required=True, **documented())
    count = Int64(required=True, **documented())


class Moved(Output):
    success = fields.List(Json, **documented("the identifiers of contacts that were added or removed"))
    failure = fields.List(Json, **documented("the others"))
    total = Int64(**documented("how many were removed; proposed unless all were"))
    processId = Int64(attribute="process", **documented("of the removal of all"))


class MovedContacts(Output):
    contacts = fields.Nested(Moved, required=True, **documented())


# ---------------------------------------------------------------------- imported files


class _Items(List):
    """A list of contacts; the import checks each item later, so that a bad one harms no other."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self.make_error("invalid")
        return value


class ListOfImport(NewList):
    name = StatedText(
        data_key="listName", required=True, absent="List name is missing", sentence="List name is not valid",
        **documented("required without listIds"),
    )  # fmt: skip


class NewImport(Compact):
    """A request to import contacts from a file, an address or a list."""

    file_body = Text(
        data_key="fileBody", validate=[NotBlank(), Longest(_LARGEST_IMPORT)],
        **documented("CSV with `;` or `,`; at most 10 MB", bounds=OPENAPI),
    )  # fmt: skip
    file_url = Url(data_key="fileUrl", **documented("of a .txt, .csv or .json file"))
    json_body = _Items(
        fields.Dict(**documented("a contact", properties=_IMPORTED)), data_key="jsonBody",
        validate=Longest(_LARGEST_IMPORT), **documented("at most 10 MB"),
    )  # fmt: skip
    list_ids = _Ids(
        Int64, data_key="listIds", sentence="listIds is not valid", **documented("required without newList")
    )
    new_list = fields.Nested(ListOfImport, data_key="newList", **documented("a list to create for the contacts"))
    updates = Flag(data_key="updateExistingContacts", load_default=True, **documented("change existing contacts"))
    erases = Flag(
        data_key="emptyContactsAttributes", load_default=False,
        **documented("empty values remove attributes of existing contacts, if these are updated"),
    )  # fmt: skip
    email_blacklisted = Flag(data_key="emailBlacklist", load_default=False, **documented("they get no e-mails"))
    sms_blacklisted = Flag(data_key="smsBlacklist", load_default=False, **documented("they get no text messages"))
    is_silent = Flag(data_key="disableNotification", load_default=False, **documented("no e-mail about the import"))
    notify_url = Url(data_key="notifyUrl", **documented("the address that gets a call at the end"))


class ImportAccepted(Output):
    processId = Int64(attribute="process", required=True, **documented())


# ---------------------------------------------------------------------- folders


class FolderPath(Input):
    folder_id = identifier("folderId")


class FolderName(Compact):
    name = StatedText(
        required=True, absent="Folder name is missing", sentence="Folder name is not valid", **documented()
    )


class FolderOut(_Counts):
    """A folder."""


class Folders(Output):
    folders = fields.List(fields.Nested(FolderOut), required=True, **documented())
    count = Int64(required=True, **documented())


class FolderLists(Output):
    lists = fields.List(fields.Nested(ListOfFolder), required=True, **documented())
    count = Int64(required=True, **documented())
