// Registers its webhook, and tries again when the connection breaks.
const { MOCKSERVER_URL, SEED = "0" } = process.env;
const headers = { "api-key": "any", "content-type": "application/json" };
const body = JSON.stringify({ url: `http://127.0.0.1:9/hook/${SEED}`, events: ["delivered", "hardBounce"] });

for (let attempt = 0; attempt < 3; attempt += 1) {
  try {
    const answer = await fetch(`${MOCKSERVER_URL}/v3/webhooks`, { method: "POST", headers, body });
    await answer.json();
    break;
  } catch {
    await new Promise((done) => setTimeout(done, 10 + (Number(SEED) % 7)));
  }
}
