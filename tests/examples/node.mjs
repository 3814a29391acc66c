// A world per test with Node's own test runner: `node --test node.mjs`.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

const mock = process.env.MOCKSERVER_URL ?? "http://localhost:8003";
let world;

async function call(method, url, { body, headers } = {}) {
  const answer = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, body: text && JSON.parse(text) };
}

// The product's way to the API, and the test's way to its world.
const api = (method, path, body) => call(method, world.url + path, { body, headers: { "api-key": world.api_key } });
const control = (method, path, body) => call(method, mock + path, { body, headers: { "X-Mock-Workspace": world.name } });

beforeEach(async () => {
  world = (await call("POST", `${mock}/_mock/workspaces`, { body: { scenario: "onboarding" } })).body;
});

afterEach(() => control("DELETE", `/_mock/workspaces/${world.name}`));

test("a code runs out", async () => {
  await control("POST", "/_mock/clock/advance", { by: "PT16M" });

  const answer = await api("PUT", "/senders/2/validate", { otp: 123456 });

  assert.equal(answer.status, 400);
  assert.equal(answer.body.code, "OTP code has expired");
});

test("an outage is over after one call", async () => {
  await control("POST", "/_mock/faults", { fault: "unavailable", times: 1 });

  assert.equal((await api("GET", "/senders")).status, 503);
  assert.equal((await api("GET", "/senders")).status, 200);
});
