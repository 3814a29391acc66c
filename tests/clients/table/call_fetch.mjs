// Calls operations by Node's `fetch` with its defaults, and prints what the program got from each.
// `MOCKSERVER_URL` may hold several addresses, which are called one after the other.
const CALLS = {
  sendTransacEmail: [
    "/smtp/email",
    {
      sender: { email: "news@acme.test" },
      to: [{ email: "bob@example.test" }],
      subject: "Your order",
      htmlContent: "<p>Thank you</p>",
    },
  ],
  createSubAccount: ["/corporate/subAccount", { companyName: "Acme Asia", email: "asia@acme.test" }],
  createSender: ["/senders", { name: "Shop", email: "shop@acme.test" }],
  createEmailCampaign: [
    "/emailCampaigns",
    {
      name: "July",
      subject: "It is July",
      sender: { email: "news@acme.test" },
      htmlContent: "<p>Hello again</p>",
    },
  ],
  sendEmailCampaignNow: ["/emailCampaigns/1/sendNow", {}],
  createWebhook: ["/webhooks", { url: "http://127.0.0.1:9/hook", events: ["delivered"] }],
  createDomain: ["/senders/domains", { name: "shop.test" }],
  getDomainConfiguration: ["/senders/domains/acme.test"],
  getSenders: ["/senders"],
  getWebhooks: ["/webhooks"],
  getAccount: ["/account"],
  getContacts: ["/contacts"],
};

for (const address of process.env.MOCKSERVER_URL.split(" ")) {
  for (const operation of process.argv.slice(2)) {
    const [path, body] = CALLS[operation];
    try {
      const answer = await fetch(`${address}/v3${path}`, {
        method: body ? "POST" : "GET",
        headers: { "api-key": "any", "content-type": "application/json" },
        body: body && JSON.stringify(body),
      });
      if (answer.status !== 204) await answer.json();
      console.log(answer.ok ? "success" : `status ${answer.status}`);
    } catch (error) {
      console.log(`\`${error.constructor.name}\``);
    }
  }
}
