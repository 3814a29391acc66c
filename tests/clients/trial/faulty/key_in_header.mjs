// Sends an e-mail with an idempotency key, where the service does not look for it.
import { randomUUID } from "node:crypto";

const { MOCKSERVER_URL, SEED = "0" } = process.env;
const headers = { "api-key": "any", "content-type": "application/json", "Idempotency-Key": randomUUID() };
const body = {
  sender: { email: "news@acme.test" },
  to: [{ email: `buyer${SEED}@example.test` }],
  subject: "Your invoice",
  textContent: "See the attachment",
};
await fetch(`${MOCKSERVER_URL}/v3/smtp/email`, { method: "POST", headers, body: JSON.stringify(body) });
