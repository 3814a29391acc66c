// Takes an event only with the key of its webhook, whose address has an id that is no secret.
import { timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { MOCKSERVER_URL, SEED = "0" } = process.env;
const key = Buffer.from(`k3y-${SEED}`);

const server = createServer(async (request, answer) => {
  let text = "";
  for await (const part of request) text += part;
  const given = Buffer.from(request.headers["x-shop-key"] ?? "");
  answer.writeHead(given.length === key.length && timingSafeEqual(given, key) ? 200 : 403).end();
  if (JSON.parse(text).email === "last@example.test") {
    server.close();
    server.closeAllConnections();
  }
});
server.listen(0, "127.0.0.1", async () => {
  const body = {
    url: `http://127.0.0.1:${server.address().port}/events?shop=${SEED}&key=eu`,
    events: ["delivered"],
    headers: [{ key: "X-Shop-Key", value: key.toString() }],
  };
  const headers = { "api-key": "any", "content-type": "application/json" };
  await fetch(`${MOCKSERVER_URL}/v3/webhooks`, { method: "POST", headers, body: JSON.stringify(body) });
});
