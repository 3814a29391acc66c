// A tenant's domain, from its name to the first mail: `onboard_domain.mjs DOMAIN ADDRESS [SECONDS]`.
// May run again at any time; asks every so many SECONDS, 30 if not told, whether the records are there.
import { setTimeout as sleep } from "node:timers/promises";

import { alreadyExists, refusal, run, unless } from "./api.mjs";

const TRIES = 100;

async function authenticate(client, domainName, seconds) {
  for (let left = TRIES; left > 0; left -= 1) {
    const refused = await refusal(client.domains.authenticateDomain({ domainName }));
    if (!refused) return;
    if (refused.statusCode !== 400 || left === 1) throw refused;
    await sleep(seconds * 1000);
  }
}

await run(async (client, domainName, address, seconds = "30") => {
  const made = await unless(alreadyExists, client.domains.createDomain({ name: domainName }));
  console.log(`domain ${domainName} is ${made ? "new" : "known"}`);

  const { dns_records: records } = await client.domains.getDomainConfiguration({ domainName });
  for (const { type, host_name: host, status } of Object.values(records)) {
    if (!status) console.log(`publish ${type} ${host}`);
  }

  await authenticate(client, domainName, Number(seconds));
  console.log(`domain ${domainName} is authenticated`);

  const sender = { name: "News", email: `news@${domainName}` };
  await unless(alreadyExists, client.senders.createSender(sender));
  await client.transactionalEmails.sendTransacEmail({
    sender,
    to: [{ email: address }],
    subject: "Welcome",
    htmlContent: `<p>Your mails come from <b>${domainName}</b> now.</p>`,
  });
  console.log(`welcome sent to ${address}`);
});
