// A workspace per test with Node's own test runner: `node --test node.mjs`.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

const mock = process.env.MOCKSERVER_URL ?? "http://localhost:8003";
let workspace;

async function call(method, url, { body, headers } = {}) {
  const answer = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, body: text && JSON.parse(text) };
}

// The product's way to the API, and the test's way to its workspace.
const api = (method, path, body) => call(method, workspace.url + path, { body, headers: { "api-key": workspace.api_key } });
const control = (method, path, body) => call(method, mock + path, { body, headers: { "X-Mock-Workspace": workspace.name } });

beforeEach(async ({ name }) => {
  workspace = (await call("POST", `${mock}/_mock/workspaces`, { body: { scenario: "onboarding", label: name } })).body;
});

// A failed test shows in ten lines what went wrong, and leaves its workspace to be looked at. Before Node 20.12, hooks do
// not know whether the test has passed.
afterEach(async ({ passed }) => {
  const path = `/_mock/workspaces/${workspace.name}`;
  if (passed !== false) return control("DELETE", path);
  const report = await fetch(`${mock}/w/${workspace.name}/_mock/report?format=text`);
  console.error(`${await report.text()}Timeline: ${mock}/w/${workspace.name}/_mock/ui/`);
  return control("PATCH", path, { outcome: "failed" });
});

test("a code runs out", async () => {
  await control("POST", "/_mock/clock/advance", { by: "PT16M" });

  const answer = await api("PUT", "/senders/2/validate", { otp: 123456 });

  assert.equal(answer.status, 400);
  assert.equal(answer.body.code, "OTP code has expired");
});
