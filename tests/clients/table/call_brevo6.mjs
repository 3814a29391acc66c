// Calls operations by @getbrevo/brevo 6 with its defaults, and prints what the program got from each.
// `MOCKSERVER_URL` may hold several addresses, which are called one after the other.
import { createRequire } from "node:module";

const { BrevoClient } = createRequire(`${process.env.JS_FOLDER}/`)("@getbrevo/brevo");
for (const address of process.env.MOCKSERVER_URL.split(" ")) {
  const client = new BrevoClient({ apiKey: "any", baseUrl: `${address}/v3` });
  const CALLS = {
    sendTransacEmail: () =>
      client.transactionalEmails.sendTransacEmail({
        sender: { email: "news@acme.test" },
        to: [{ email: "bob@example.test" }],
        subject: "Your order",
        htmlContent: "<p>Thank you</p>",
      }),
    createSubAccount: () =>
      client.masterAccount.createANewSubAccountUnderAMasterAccount({ companyName: "Acme Asia", email: "asia@acme.test" }),
    createSender: () => client.senders.createSender({ name: "Shop", email: "shop@acme.test" }),
    createEmailCampaign: () =>
      client.emailCampaigns.createEmailCampaign({
        name: "July",
        subject: "It is July",
        sender: { email: "news@acme.test" },
        htmlContent: "<p>Hello again</p>",
      }),
    sendEmailCampaignNow: () => client.emailCampaigns.sendEmailCampaignNow({ campaignId: 1 }),
    createWebhook: () => client.webhooks.createWebhook({ url: "http://127.0.0.1:9/hook", events: ["delivered"] }),
    createDomain: () => client.domains.createDomain({ name: "shop.test" }),
    getDomainConfiguration: () => client.domains.getDomainConfiguration({ domainName: "acme.test" }),
    getSenders: () => client.senders.getSenders(),
    getWebhooks: () => client.webhooks.getWebhooks(),
    getAccount: () => client.account.getAccount(),
    getContacts: () => client.contacts.getContacts(),
  };

  for (const operation of process.argv.slice(2)) {
    try {
      await CALLS[operation]();
      console.log("success");
    } catch (error) {
      console.log(`\`${error.constructor.name}\``, error.statusCode ?? "");
    }
  }
}
