"""Campaigns and their state machine (contract/campaigns#machine)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.traffic.mail import Party
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.lifecycle import Lifecycle

EMAIL_CAMPAIGN = "email_campaign"
#: The kinds of other channels.
OTHER_KINDS = ("sms_campaign", "whatsapp_campaign")

DRAFT, QUEUED, IN_PROCESS, IN_REVIEW, SENT, SUSPENDED, ARCHIVE = (
    "draft", "queued", "in_process", "in_review", "sent", "suspended", "archive",
)  # fmt: skip
MACHINE = StateMachine(
    "campaign",
    ("create", ABSENT, DRAFT),
    ("schedule", DRAFT, QUEUED),
    ("withdraw", QUEUED, DRAFT),
    ("withdraw", SUSPENDED, DRAFT),
    ("fall_due", QUEUED, IN_PROCESS),
    ("send", DRAFT, IN_PROCESS),
    ("send", SUSPENDED, IN_PROCESS),
    ("review", IN_PROCESS, IN_REVIEW),
    ("approve", IN_REVIEW, IN_PROCESS),
    *(("suspend", state, SUSPENDED) for state in (QUEUED, IN_PROCESS, IN_REVIEW)),
    ("finish", IN_PROCESS, SENT),
    *(("archive", state, ARCHIVE) for state in (DRAFT, SENT, SUSPENDED)),
    ("restore", ARCHIVE, DRAFT),
    ("restore_sent", ARCHIVE, SENT),
    *(("delete", state, ABSENT) for state in (DRAFT, QUEUED, SENT, SUSPENDED, ARCHIVE)),
    # A timer sends e-mails, and the outcome fires one of these events; or it falls due.
    timed=frozenset({"fall_due", "finish", "suspend"}),
)


@dataclass(slots=True, eq=False)
class Campaign:
    """An e-mail campaign, made by the API or loaded from a scenario; its id is unique among templates too."""

    id: int
    name: str
    #: Content; None: none yet, and the shared page has instructions.
    html: str | None = None
    #: Subject; None: none yet.
    subject: str | None = None
    #: Last segment of the shared address; None before the first request.
    share: str | None = None
    state: str = DRAFT
    #: The moments; None: from a scenario without them, where the start of the clock counts.
    created_at: datetime | None = None
    modified_at: datetime | None = None
    #: The sender; None: from a scenario without one, where the account's default sender counts.
    sender: Party | None = None
    reply_to: str = ""
    to_field: str = ""
    tag: str = ""
    attachment_url: str = ""
    #: When it is to be sent, and when its last e-mail left.
    scheduled_at: datetime | None = None
    sent_at: datetime | None = None
    #: The ids of its lists, and of the lists whose contacts it leaves out.
    list_ids: list[int] = field(default_factory=list)
    excluded_list_ids: list[int] = field(default_factory=list)
    params: dict[str, Any] = field(default_factory=dict)
    #: Wire members that are kept and shown without an effect: `previewText`, `abTesting`, segments, ...
    options: dict[str, Any] = field(default_factory=dict)
    #: Whether a test was sent.
    is_tested: bool = False
    kind: ClassVar[str] = EMAIL_CAMPAIGN

    @property
    def is_over(self) -> bool:
        """Whether the campaign is sent, or archived after it was sent."""
        return self.state == SENT or (self.state == ARCHIVE and self.sent_at is not None)

    @property
    def size(self) -> int:
        """Memory of texts and values in bytes, which the limit of stored data bounds."""
        return weight([self.html, self.subject, self.params, self.options])


@dataclass(slots=True, eq=False)
class OtherCampaign:
    """A campaign of another channel, which scenarios hold and no operation makes; it cannot be shared."""

    id: int
    name: str
    kind: str
    html: str | None = None
    subject: str | None = None
    share: str | None = None


CAMPAIGN = Lifecycle(MACHINE, Campaign, key="id", parse=int, registered_in=(f"{__package__}.sending",))
