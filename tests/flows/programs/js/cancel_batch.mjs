// Reminders for an appointment that is called off: `cancel_batch.mjs FROM PATIENT...`. All reminders are one batch, due
// in an hour and cancelled; the note to the practice itself, due then as well, stays.
import { randomUUID } from "node:crypto";

import { refusal, run } from "./api.mjs";

await run(async ({ transactionalEmails: mails }, from, ...patients) => {
  const sender = { email: from };
  const scheduledAt = new Date(Date.now() + 3_600_000);

  const batch = { identifier: randomUUID() };
  await mails.sendTransacEmail({
    sender,
    subject: "Reminder",
    textContent: "See you soon.",
    messageVersions: patients.map((email) => ({ to: [{ email }] })),
    scheduledAt,
    batchId: batch.identifier,
  });
  const note = await mails.sendTransacEmail({
    sender,
    to: [sender],
    subject: "Note",
    textContent: "The reminders are out.",
    scheduledAt,
  });

  const { batches } = await mails.getScheduledEmailById(batch);
  const [reminders] = new Set(batches.map(({ status }) => status));
  console.log(`reminders: ${reminders}`);
  const { status } = await mails.getScheduledEmailById({ identifier: note.messageId });
  console.log(`note: ${status}`);

  await mails.deleteScheduledEmailById(batch);
  console.log("reminders: cancelled");
  const again = await refusal(mails.deleteScheduledEmailById(batch));
  if (again?.statusCode === 404) console.log("reminders: nothing to cancel");
});
