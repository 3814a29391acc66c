// Makes a contact; after a 429 it waits as long as it is told, and makes it again.
const { MOCKSERVER_URL, SEED = "0" } = process.env;
const headers = { "api-key": "any", "content-type": "application/json" };
const body = JSON.stringify({ email: `c${SEED}@contact.test` });

for (let attempt = 0; attempt < 3; attempt += 1) {
  const answer = await fetch(`${MOCKSERVER_URL}/v3/contacts`, { method: "POST", headers, body });
  await answer.text();
  if (answer.status !== 429) break;
  const seconds = Number(answer.headers.get("x-sib-ratelimit-reset"));
  await new Promise((done) => setTimeout(done, seconds * 1000));
}
