// What becomes of a mail: `follow_mail.mjs HOOK FROM TO` sends one, and takes the events that HOOK is told, one as JSON
// in each line of the standard input. Who wants no more mail is blocked; in the end, HOOK is told nothing any more.
import { createInterface } from "node:readline";

import { hasNone, run, unless } from "./api.mjs";

async function ensure(client, url) {
  const found = await unless(hasNone, client.webhooks.getWebhooks({ type: "transactional" }));
  const mine = found?.webhooks.find((webhook) => webhook.url === url);
  return mine ?? client.webhooks.createWebhook({ url, events: ["request", "delivered", "unsubscribed"] });
}

async function take(client, { event, email }) {
  console.log(`${event} ${email}`);
  if (event !== "unsubscribed") return;
  await client.contacts.createContact({ email, emailBlacklisted: true, updateEnabled: true });
  const { emailBlacklisted } = await client.contacts.getContactInfo({ identifier: email });
  if (emailBlacklisted) console.log(`${email} is blocked`);
}

await run(async (client, hook, from, to) => {
  const { id: webhookId } = await ensure(client, hook);

  await client.transactionalEmails.sendTransacEmail({
    sender: { email: from },
    to: [{ email: to }],
    subject: "Monthly news",
    htmlContent: "<p>Much has happened.</p>",
    tags: ["news"],
  });
  console.log(`news sent to ${to}`);

  for await (const line of createInterface({ input: process.stdin })) await take(client, JSON.parse(line));

  await client.webhooks.deleteWebhook({ webhookId });
  console.log("nobody listens any more");
});
