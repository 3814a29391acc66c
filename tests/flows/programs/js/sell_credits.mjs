// A reseller gives a customer an account with so many mails: `sell_credits.mjs COMPANY EMAIL CREDITS FROM TO` makes it
// and sends until they are gone; the code of the sender FROM is read from the standard input.
import { createInterface } from "node:readline";

import { connect, refusal, run } from "./api.mjs";

const NO_CREDITS = 402;

async function readLine() {
  for await (const line of createInterface({ input: process.stdin })) return line;
}

async function sendUntilRefused(client, mail) {
  for (let mails = 0; ; mails += 1) {
    const refused = await refusal(client.transactionalEmails.sendTransacEmail(mail));
    if (refused?.statusCode === NO_CREDITS) return `${mails} mails, then: ${refused.body.code}`;
    if (refused) throw refused;
  }
}

await run(async ({ masterAccount: master }, companyName, email, credits, from, to) => {
  const { id } = await master.createANewSubAccountUnderAMasterAccount({ companyName, email });
  await master.updateSubAccountPlan({ id, credits: { email: Number(credits) } });
  const { key } = await master.createAnApiKeyForASubAccount({ id, name: "shop" });
  const customer = connect(key);
  console.log(`${companyName} has ${credits} credits`);

  const { id: senderId } = await customer.senders.createSender({ name: companyName, email: from });
  await customer.senders.validateSenderByOtp({ senderId, otp: Number(await readLine()) });

  const mail = { sender: { email: from }, to: [{ email: to }], subject: "Offer", textContent: "Buy." };
  console.log(await sendUntilRefused(customer, mail));

  const { planInfo } = await master.getSubAccountDetails({ id });
  const { remaining, quantity } = planInfo.credits.emails;
  console.log(`${remaining} of ${quantity} credits are left`);
});
