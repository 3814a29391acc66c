// Whether mail is set up: `check_mail.mjs ADDRESS` tells how the account stands, and sends a test mail there.
import { run } from "./api.mjs";

const credits = ({ plan }) => plan[0].credits;

await run(async (client, address) => {
  const account = await client.account.getAccount();
  console.log(`account ${account.email} has ${credits(account)} credits`);

  const { senders } = await client.senders.getSenders();
  for (const { email, active } of senders) {
    console.log(`sender ${email} ${active ? "is verified" : "waits for its code"}`);
  }

  const { domains } = await client.domains.getDomains();
  for (const { domain_name: domainName } of domains) {
    const { dns_records: records } = await client.domains.getDomainConfiguration({ domainName });
    const missing = ["dkim_record", "dmarc_record"].filter((name) => !records[name].status);
    console.log(`domain ${domainName} misses ${missing.join(" ") || "nothing"}`);
  }

  await client.transactionalEmails.sendTransacEmail({
    sender: { email: senders.find(({ active }) => active).email },
    to: [{ email: address }],
    subject: "Test mail",
    textContent: "It works.",
  });
  console.log(`test mail sent to ${address}`);
  console.log(`${credits(await client.account.getAccount())} credits are left`);
});
