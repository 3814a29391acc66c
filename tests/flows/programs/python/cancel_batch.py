"""Reminders for an appointment that is called off: `cancel_batch.py FROM PATIENT...`.

All reminders are one batch, due in an hour and cancelled; the note to the practice itself, due then as well, stays.
"""

import uuid
from datetime import UTC, datetime, timedelta

from api import run
from brevo import NotFoundError


def cancel(client, sender, *patients):
    mails, due = client.transactional_emails, datetime.now(UTC) + timedelta(hours=1)

    batch = str(uuid.uuid4())
    mails.send_transac_email(
        sender={"email": sender},
        subject="Reminder",
        text_content="See you soon.",
        message_versions=[{"to": [{"email": patient}]} for patient in patients],
        scheduled_at=due,
        batch_id=batch,
    )
    note = mails.send_transac_email(
        sender={"email": sender},
        to=[{"email": sender}],
        subject="Note",
        text_content="The reminders are out.",
        scheduled_at=due,
    )

    (reminders,) = {found.status for found in mails.get_scheduled_email_by_id(batch).batches}
    print(f"reminders: {reminders}")
    print(f"note: {mails.get_scheduled_email_by_id(note.message_id).status}")

    mails.delete_scheduled_email_by_id(batch)
    print("reminders: cancelled")
    try:
        mails.delete_scheduled_email_by_id(batch)
    except NotFoundError:
        print("reminders: nothing to cancel")


run(cancel)
