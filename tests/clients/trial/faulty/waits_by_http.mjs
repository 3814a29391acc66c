// Sends an e-mail by `node:http`, which has no time limit of its own.
import { request } from "node:http";

const { MOCKSERVER_URL, SEED = "0" } = process.env;
const body = JSON.stringify({
  sender: { email: "news@acme.test" },
  to: [{ email: `buyer${SEED}@example.test` }],
  subject: "Hello",
  textContent: "Hello",
});
const headers = { "api-key": "any", "content-type": "application/json", "content-length": Buffer.byteLength(body) };
request(`${MOCKSERVER_URL}/v3/smtp/email`, { method: "POST", headers }, (answer) => answer.resume())
  .on("error", () => {})
  .end(body);
