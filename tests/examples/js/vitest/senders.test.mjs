// `npx vitest run`: each test has a workspace of its own, so files may run beside each other.
import { afterEach, beforeEach, expect, test } from "vitest";
import { Workspace } from "../mock.mjs";
import { Product } from "../product.mjs";

let workspace;
let product;

beforeEach(async ({ task }) => {
  workspace = await Workspace.make("onboarding", `${task.file.name} > ${expect.getState().currentTestName}`);
  product = new Product(workspace);
});

afterEach(({ task }) => workspace.end(task.result.state === "fail"));

test("a code confirms a sender", async () => {
  await workspace.control("POST", "/machines/sender/2/resend_otp");
  const { items } = await workspace.control("GET", "/mailbox?to=ops@acme.test&wait=5");

  expect(await product.confirm(2, items[0].otp)).toBe("confirmed");
});

test("a code runs out", async () => {
  await workspace.control("POST", "/clock/advance", { by: "PT16M" });

  expect(await product.confirm(2, 123456)).toBe("OTP code has expired");
});

test("an outage is waited for", async () => {
  const fault = await workspace.control("POST", "/faults", { fault: "unavailable", times: 2 });

  expect(await product.senders()).toHaveLength(2);
  expect(await workspace.control("GET", `/faults/${fault.id}`)).toMatchObject({ hits: 2 });
});
