// A robot that answers mails: `answer_mail.mjs DOMAIN HOOK FROM` lets HOOK be told of mails to DOMAIN; what it is told
// comes as JSON, one call in each line of the standard input.
import { createInterface } from "node:readline";

import { hasNone, run, unless } from "./api.mjs";

async function ensure(client, domain, url) {
  const found = await unless(hasNone, client.webhooks.getWebhooks({ type: "inbound" }));
  if (found?.webhooks.some((webhook) => webhook.url === url)) return;
  await client.webhooks.createWebhook({ type: "inbound", events: ["inboundEmailProcessed"], domain, url });
}

async function reply(client, from, mail) {
  const reader = mail.From.Address;
  const subject = `Re: ${mail.Subject}`;
  await client.transactionalEmails.sendTransacEmail({
    sender: { email: from },
    to: [{ email: reader }],
    replyTo: { email: from },
    subject,
    textContent: "We look into it.",
    headers: { "In-Reply-To": mail.MessageId },
  });
  console.log(`answered ${reader}: ${subject}`);
  const { events } = await client.inboundParsing.getInboundEmailEvents({ sender: reader });
  console.log(`${events.length} so far from ${reader}`);
}

await run(async (client, domain, hook, from) => {
  await ensure(client, domain, hook);
  console.log(`mails to ${domain} are taken`);

  for await (const line of createInterface({ input: process.stdin })) {
    for (const mail of JSON.parse(line).items) await reply(client, from, mail);
  }
});
