// A sender proves its address and sends: `verify_sender.mjs NAME EMAIL TO`; codes are read from the standard input.
import { createInterface } from "node:readline";

import { refusal, run } from "./api.mjs";

async function validate(client, senderId) {
  for await (const code of createInterface({ input: process.stdin })) {
    const refused = await refusal(client.senders.validateSenderByOtp({ senderId, otp: Number(code) }));
    if (!refused) return;
    if (refused.statusCode !== 400) throw refused;
    console.log(refused.body.code);
  }
  throw new Error("no code was right");
}

await run(async (client, name, email, to) => {
  const { id } = await client.senders.createSender({ name, email });
  console.log(`a code is on its way to ${email}`);

  await validate(client, id);
  console.log(`${email} is verified`);

  await client.transactionalEmails.sendTransacEmail({
    sender: { id },
    to: [{ email: to }],
    subject: "Hello",
    textContent: `From ${name}.`,
  });
  console.log(`hello sent to ${to}`);
});
