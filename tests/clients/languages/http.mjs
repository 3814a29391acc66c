// Creates senders and a workspace with the modules http and https of Node: `node http.mjs`.
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { json } from "node:stream/consumers";

const { MOCKSERVER_URL: mock } = process.env;
const { Agent, request } = mock.startsWith("https:") ? https : http;
const agent = new Agent({ keepAlive: true }); // the default from Node 19 on
const sender = { name: "Zoë", email: "zoe@acme.test" };

async function ask(url, body, key = "any") {
  const headers = { "api-key": key, "Content-Type": "application/json" };
  const asked = request(url, { agent, method: body ? "POST" : "GET", headers });
  asked.end(body && JSON.stringify(body));
  const [answer] = await once(asked, "response");
  const seen = { status: answer.statusCode, body: await json(answer) };
  console.log(JSON.stringify(seen));
  return seen.body;
}

await ask(`${mock}/v3/senders`, sender);
const workspace = await ask(`${mock}/_mock/workspaces`, { scenario: "onboarding" });
await ask(`${workspace.url}/senders`, sender, workspace.api_key);
await ask(`${mock}/_mock/stubs`, { method: "GET", path: "/v3/reports", answer: { text: "x".repeat(1_100_000) } });
await ask(`${mock}/_mock/requests?operation=createSender`);
agent.destroy();
