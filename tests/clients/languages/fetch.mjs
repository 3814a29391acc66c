// Creates senders and a workspace with fetch of Node: `node fetch.mjs`.
const { MOCKSERVER_URL: mock } = process.env;
const sender = { name: "Zoë", email: "zoe@acme.test" };

async function ask(url, body, key = "any") {
  const headers = { "api-key": key, "Content-Type": "application/json" };
  const answer = await fetch(url, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) });
  const seen = { status: answer.status, body: await answer.json() };
  console.log(JSON.stringify(seen));
  return seen.body;
}

await ask(`${mock}/v3/senders`, sender);
const workspace = await ask(`${mock}/_mock/workspaces`, { scenario: "onboarding" });
await ask(`${workspace.url}/senders`, sender, workspace.api_key);
await ask(`${mock}/_mock/stubs`, { method: "GET", path: "/v3/reports", answer: { text: "x".repeat(1_100_000) } });
await ask(`${mock}/_mock/requests?operation=createSender`);
