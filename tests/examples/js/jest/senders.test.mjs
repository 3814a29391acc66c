/** @jest-environment ./jest/environment.mjs */
// `node --experimental-vm-modules node_modules/.bin/jest`: what jest knows as globals needs no import.
import { Workspace } from "../mock.mjs";
import { Product } from "../product.mjs";

let workspace;
let product;

beforeEach(async () => {
  workspace = await Workspace.make("onboarding", `jest/senders.test.mjs > ${expect.getState().currentTestName}`);
  product = new Product(workspace);
});

afterEach(() => workspace.end(globalThis.testHasFailed)); // the environment sets it

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
