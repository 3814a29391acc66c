// A first test with a mock of Brevo's API: each test has its own account, as defined in scenarios/product.yaml.

// Replace this with your code, which takes the address of the API and the key from its settings.
async function call(method, path, body) {
  const headers = { "api-key": mockserver.apiKey, "content-type": "application/json" };
  const answer = await fetch(mockserver.url + path, { method, headers, body: JSON.stringify(body) });
  return answer.status === 204 ? null : answer.json();
}

test("a sender proves its address", async () => {
  const { id } = await call("POST", "/senders", { name: "Jo", email: "jo@acme.test" });

  const { items } = await mockserver.control("GET", "/mailbox?to=jo@acme.test&wait=3");
  await call("PUT", `/senders/${id}/validate`, { otp: items[0].otp });

  expect(await mockserver.control("GET", `/machines/sender/${id}`)).toMatchObject({ state: "verified" });
});
