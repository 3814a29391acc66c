// Makes sure that a webhook is there, however often it runs: `node ensure_webhook.mjs URL`.
const { BREVO_API_KEY, BREVO_BASE_URL } = process.env;

async function api(method, path, body) {
  const headers = { "api-key": BREVO_API_KEY, "Content-Type": "application/json" };
  const answer = await fetch(BREVO_BASE_URL + path, { method, headers, body: body && JSON.stringify(body) });
  const data = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(data.message), { status: answer.status, code: data.code });
  return data;
}

async function webhooks() {
  try {
    return (await api("GET", "/webhooks?type=transactional")).webhooks;
  } catch (error) {
    if (error.status !== 400 || error.code !== "document_not_found") throw error;
    return []; // an account that has none yet
  }
}

const [url] = process.argv.slice(2);
const mine = (await webhooks()).find((webhook) => webhook.url === url);
console.log((mine ?? (await api("POST", "/webhooks", { url, events: ["delivered", "hardBounce"] }))).id);
