// Moves its webhook to the address of the new receiver, key and all.
const { MOCKSERVER_URL, SEED = "0" } = process.env;
const headers = { "api-key": "any", "content-type": "application/json" };

const found = await (await fetch(`${MOCKSERVER_URL}/v3/webhooks`, { headers })).json();
const target = new URL("http://127.0.0.1:9/new");
target.searchParams.set("api_key", `k-${SEED}-0123456789abcdef`);
await fetch(`${MOCKSERVER_URL}/v3/webhooks/${found.webhooks[0].id}`, {
  method: "PUT",
  headers,
  body: JSON.stringify({ url: target.href }),
});
