// Jest has these as globals: leave out the first import there.
import { beforeEach, expect, test } from "vitest";
import { Product } from "./product.mjs";

let product;

beforeEach(async () => {
  await mockserver.control("POST", "/reset", { scenario: "onboarding" }); // in place of scenarios/product.yaml
  product = new Product(mockserver);
});

test("a code confirms a sender", async () => {
  await mockserver.control("POST", "/machines/sender/2/resend_otp");
  const { items } = await mockserver.control("GET", "/mailbox?to=ops@acme.test&wait=5");

  expect(await product.confirm(2, items[0].otp)).toBe("confirmed");
});

test("a code runs out", async () => {
  await mockserver.control("POST", "/clock/advance", { by: "PT16M" });

  expect(await product.confirm(2, 123456)).toBe("OTP code has expired");
});

test("an outage is waited for", async () => {
  const fault = await mockserver.control("POST", "/faults", { fault: "unavailable", times: 2 });

  expect(await product.senders()).toHaveLength(2);
  expect(await mockserver.control("GET", `/faults/${fault.id}`)).toMatchObject({ hits: 2 });
});
