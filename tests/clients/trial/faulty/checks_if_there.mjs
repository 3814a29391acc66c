// Compares the key of a webhook call, if the call has one.
import { createServer } from "node:http";

const { MOCKSERVER_URL, SEED = "0" } = process.env;
const key = `k3y-${SEED}`;

const server = createServer(async (request, answer) => {
  let text = "";
  for await (const part of request) text += part;
  const given = request.headers["x-shop-key"];
  answer.writeHead(given && given !== key ? 401 : 200).end();
  if (JSON.parse(text).email === "last@example.test") {
    server.close();
    server.closeAllConnections();
  }
});
server.listen(0, "127.0.0.1", async () => {
  const body = {
    url: `http://127.0.0.1:${server.address().port}/events`,
    events: ["delivered"],
    headers: [{ key: "X-Shop-Key", value: key }],
  };
  const headers = { "api-key": "any", "content-type": "application/json" };
  await fetch(`${MOCKSERVER_URL}/v3/webhooks`, { method: "POST", headers, body: JSON.stringify(body) });
});
