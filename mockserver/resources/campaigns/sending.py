"""Sending campaigns: recipients, processing on the clock, e-mails and their events (contract/campaigns#sending)."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from mockserver.core.state.state import Account
from mockserver.core.text.addresses import domain_of
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.account import spending
from mockserver.resources.campaigns import audience as audiences
from mockserver.resources.campaigns.audience import SKIPPED, Audience, address_of
from mockserver.resources.campaigns.campaign import CAMPAIGN, IN_PROCESS, MACHINE, QUEUED, Campaign
from mockserver.resources.campaigns.letter import UNDERWAY, Letter
from mockserver.resources.campaigns.statistics import SENT, Ahead, Progress, count, remaining
from mockserver.resources.contacts import rows
from mockserver.resources.contacts.rows import EMAIL_ID, Contact, find_contact
from mockserver.resources.corporate.pool import UNLIMITED
from mockserver.resources.senders.model import is_verified

#: How long on the clock until the next e-mails leave. Chosen: sending them takes about a third of it.
_PAUSE = timedelta(milliseconds=100)
#: The timers of a campaign: the next e-mails leave, or arrive. The state machine does not have them.
_LEAVE, _ARRIVE = "leave", "arrive"
#: The events after which a contact gets no further campaigns.
_BLACKLISTING = ("unsubscribed", "spam")


def check_means(caller: Caller, campaign: Campaign) -> None:
    """Refuse a campaign with 402 `not_enough_credits` if its recipients are more than the credits left."""
    workspace, account = caller.workspace, caller.account
    spending.check(workspace, account, "email", _needed(workspace, account, campaign))


def _needed(workspace: Workspace, account: Account, campaign: Campaign) -> int:
    """Return the number of e-mails that a campaign still sends; before the first one, its present recipients count."""
    if not _has_begun(account, campaign):
        return len(audiences.found(workspace, account, campaign).contacts)
    return remaining(account, campaign)


def _has_begun(account: Account, campaign: Campaign) -> bool:
    """Return whether some recipients had their turn, so that the others get the campaign later."""
    progress = account.rows_of(Progress).get(campaign.id)
    return progress is not None and progress.turns > 0 and campaign.id in account.rows_of(Audience)


def last_sent(account: Account, address: str) -> Campaign | None:
    """Return the campaign that an address got last, or None."""
    contact, campaigns = find_contact(account, EMAIL_ID, address), account.rows_of(Campaign)
    if contact is None:
        return None
    got = [
        (left_at, number)
        for number, progress in account.rows_of(Progress).items()
        if (audience := account.rows_of(Audience).get(number)) is not None
        and audience.list_of(contact.id, progress.turns)
        and (left_at := progress.left_to(audience.contacts.index(contact.id))) is not None
    ]
    return campaigns.get(max(got)[1]) if got else None


def note_event(account: Account, campaign: Campaign | None, event: str, address: str, link: str = "") -> None:
    """Count an event of a campaign's e-mail, if any; blacklist a contact who has unsubscribed or complained."""
    if campaign is not None:
        count(account, campaign, event, address, link)
    contact = find_contact(account, EMAIL_ID, address) if event in _BLACKLISTING else None
    if contact is not None:
        rows.blacklist(account, account.table(Contact)[contact.id], blacklisted=True)


# ---------------------------------------------------------------------- events of the machine


def resume(workspace: Workspace, account: Account, campaign: Campaign) -> None:
    """Set the timers of a loaded campaign."""
    progress = account.rows_of(Progress).get(campaign.id)
    if campaign.state == QUEUED and campaign.scheduled_at is not None:
        workspace.set_timer(campaign.scheduled_at, account, MACHINE.name, campaign.id, "fall_due")
    if campaign.state == IN_PROCESS:
        if progress is None or progress.next_at is None or campaign.id not in account.rows_of(Audience):
            _begin(workspace, account, campaign)
        else:
            workspace.set_timer(progress.next_at, account, MACHINE.name, campaign.id, _LEAVE)
    if progress is not None:
        _await_arrival(workspace, account, progress)


@CAMPAIGN.on("schedule")
def _schedule(workspace: Workspace, account: Account, campaign: Campaign) -> None:
    now = workspace.state.clock.now()
    campaign.scheduled_at = max(campaign.scheduled_at or now, now)
    workspace.set_timer(campaign.scheduled_at, account, MACHINE.name, campaign.id, "fall_due")


@CAMPAIGN.on("delete")
def _delete(workspace: Workspace, account: Account, campaign: Campaign) -> None:
    account.weigh_stored(-campaign.size)
    _forget_recipients(workspace, account, campaign)


def _forget_recipients(workspace: Workspace, account: Account, campaign: Campaign) -> None:
    workspace.state.timers.cancel(MACHINE.name, campaign.id)
    account.table(Audience).pop(campaign.id, None)
    account.table(Progress).pop(campaign.id, None)


@CAMPAIGN.on("withdraw")
def _withdraw(workspace: Workspace, account: Account, campaign: Campaign) -> None:
    """Keep the recipients if some had their turn, so that nobody gets the campaign twice."""
    (_hold if _has_begun(account, campaign) else _forget_recipients)(workspace, account, campaign)


def take_again(workspace: Workspace, account: Account, campaign: Campaign) -> None:
    """Take those who are left from the changed lists if some had their turn; forget the recipients otherwise."""
    if _has_begun(account, campaign):
        turns = account.rows_of(Progress)[campaign.id].turns
        account.table(Audience)[campaign.id].replace_rest(turns, audiences.found(workspace, account, campaign))
    else:
        _forget_recipients(workspace, account, campaign)
        resume(workspace, account, campaign)


@CAMPAIGN.on("suspend", "review")
def _hold(workspace: Workspace, account: Account, campaign: Campaign) -> None:
    workspace.state.timers.cancel(MACHINE.name, campaign.id)
    progress = account.table(Progress).get(campaign.id)
    if progress is not None:
        progress.next_at = None
        _await_arrival(workspace, account, progress)


@CAMPAIGN.guard("fall_due")
def _send_or_suspend(workspace: Workspace, account: Account, campaign: Campaign) -> str:
    """Suspend a campaign that falls due without a valid sender or enough credits (proposed)."""
    has_means = spending.are_left(workspace, account, "email", _needed(workspace, account, campaign))
    return "fall_due" if has_means and _may_send(account, campaign) else "suspend"


def _may_send(account: Account, campaign: Campaign) -> bool:
    """Return whether the account is approved and the sender verified; the account's default sender is not checked."""
    sender = campaign.sender
    return not account.under_validation and (sender is None or is_verified(account, sender.email))


@CAMPAIGN.on("fall_due", "send", "approve")
def _begin(workspace: Workspace, account: Account, campaign: Campaign) -> None:
    """Take the recipients unless e-mails have left before, and let the others leave after the processing."""
    workspace.state.timers.cancel(MACHINE.name, campaign.id)
    progress = account.table(Progress).setdefault(campaign.id, Progress(campaign.id))
    if not _has_begun(account, campaign):
        audiences.take(workspace, account, campaign)
        progress.turns = 0
    else:
        progress.go_on()
    _await_arrival(workspace, account, progress)
    _await_leaving(workspace, account, progress, workspace.state.behaviour.campaign)


def _await_leaving(workspace: Workspace, account: Account, progress: Progress, after: timedelta) -> None:
    progress.next_at = workspace.state.clock.after(after)
    workspace.set_timer(progress.next_at, account, MACHINE.name, progress.id, _LEAVE)


def _await_arrival(workspace: Workspace, account: Account, progress: Progress) -> None:
    if progress.ahead:
        workspace.set_timer(progress.ahead[0].at, account, MACHINE.name, progress.id, _ARRIVE)


@CAMPAIGN.when_due(_ARRIVE)
def _arrive(workspace: Workspace, account: Account, campaign: Campaign) -> None:
    progress = account.table(Progress)[campaign.id]
    progress.arrive(workspace.state.clock.now())
    _await_arrival(workspace, account, progress)


@CAMPAIGN.when_due(_LEAVE)
def _leave(workspace: Workspace, account: Account, campaign: Campaign) -> None:
    """Send the next e-mails, and finish after the last; suspend a campaign without credits or a valid sender."""
    progress, audience = account.table(Progress)[campaign.id], account.rows_of(Audience)[campaign.id]
    if progress.turns < len(audience.contacts) and not _send_next(workspace, account, campaign):
        CAMPAIGN.fire(workspace, account, campaign, "suspend")
    elif progress.turns < len(audience.contacts):
        _await_leaving(workspace, account, progress, _PAUSE)
    else:
        CAMPAIGN.fire(workspace, account, campaign, "finish")


@CAMPAIGN.on("finish")
def _finish(workspace: Workspace, account: Account, campaign: Campaign) -> None:
    """Note the end; if a control call ends the process, the others get their e-mails at once."""
    workspace.state.timers.cancel(MACHINE.name, campaign.id)
    progress, audience = account.table(Progress)[campaign.id], account.rows_of(Audience)[campaign.id]
    while progress.turns < len(audience.contacts) and _send_next(workspace, account, campaign):
        pass
    progress.next_at, campaign.sent_at = None, workspace.state.clock.now()
    _await_arrival(workspace, account, progress)


# ---------------------------------------------------------------------- e-mails


def _send_next(workspace: Workspace, account: Account, campaign: Campaign) -> bool:
    """Send e-mails to the next recipients; return False if the credits or the sender do not suffice for them."""
    if not _may_send(account, campaign):
        return False
    progress, audience = account.table(Progress)[campaign.id], account.rows_of(Audience)[campaign.id]
    now = workspace.state.clock.now()
    progress.began_at = progress.began_at or now
    letter, contacts = Letter.of(account, campaign), account.rows_of(Contact)
    left, sent = spending.left(workspace, account, "email"), Counter[tuple[int, str]]()
    room = letter.at_once if left == UNLIMITED else min(letter.at_once, int(left))
    stop = min(progress.turns + letter.at_once, len(audience.contacts))
    while progress.turns < stop:
        index = progress.turns
        contact = contacts.get(audience.contacts[index])
        email = address_of(account, contact, letter.content.sender.email, now)
        if contact is None or email is None:
            account.table(Audience)[campaign.id].lists[index] = SKIPPED
        elif sent.total() == room:
            break
        else:
            letter.send(workspace, account, contact, email)
            sent[audience.lists[index], domain_of(email)] += 1
        progress.turns += 1
    _note_sent(workspace, account, progress, sent)
    return progress.turns == stop


def _note_sent(workspace: Workspace, account: Account, progress: Progress, sent: Counter[tuple[int, str]]) -> None:
    """Use the credits for e-mails, and count them."""
    if not sent:
        return
    progress.left_at = workspace.state.clock.now()
    spending.use(workspace, account, "email", sent.total())
    at = workspace.state.clock.after(UNDERWAY)
    for (list_id, domain), number in sent.items():
        progress.add(list_id, domain, SENT, number)
        progress.ahead.append(Ahead(at, list_id, domain, number))
    _await_arrival(workspace, account, progress)
