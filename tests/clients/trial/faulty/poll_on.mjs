// Polls for a domain to be authenticated, and takes every refusal for "not yet".
const { MOCKSERVER_URL, SEED = "0" } = process.env;

for (let look = 0; look < 6; look += 1) {
  const answer = await fetch(`${MOCKSERVER_URL}/v3/senders/domains/acme.test`, { headers: { "api-key": "any" } });
  const domain = await answer.json();
  if (domain.authenticated) break;
  await new Promise((done) => setTimeout(done, 15 + (Number(SEED) % 11)));
}
