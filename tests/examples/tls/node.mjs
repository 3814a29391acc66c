// `NODE_EXTRA_CA_CERTS=ca.pem node --test node.mjs`: Node reads the variable when it starts.
import assert from "node:assert/strict";
import { test } from "node:test";

const mock = process.env.MOCKSERVER_URL ?? "https://localhost:8003";

test("the mock is trusted", async () => {
  const answer = await fetch(`${mock}/v3/account`, { headers: { "api-key": "any" } });

  assert.equal((await answer.json()).companyName, "Acme");
});
