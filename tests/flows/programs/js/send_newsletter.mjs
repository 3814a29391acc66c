// A newsletter: `send_newsletter.mjs FROM READER` makes a template and imports readers, and sends them a campaign. It
// waits for a line of the standard input where the service needs time: for the import, and for the campaign.
import { createInterface } from "node:readline";

import { refusal, run } from "./api.mjs";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function makeTemplate({ transactionalEmails }, sender) {
  const { id: templateId } = await transactionalEmails.createSmtpTemplate({
    sender: { email: sender, name: "News" },
    templateName: "June",
    subject: "Hello {{ contact.FIRSTNAME }}",
    htmlContent: "<p>News for {{ contact.FIRSTNAME }}</p>",
    isActive: true,
  });
  const { name, isActive } = await transactionalEmails.getSmtpTemplate({ templateId });
  console.log(`template ${name} is ${isActive ? "active" : "inactive"}`);
  return templateId;
}

async function importReaders({ contacts, process: processes }, reader) {
  await contacts.createAttribute({ attributeCategory: "normal", attributeName: "FIRSTNAME", type: "text" });
  const { processId } = await contacts.importContacts({
    fileBody: `EMAIL;FIRSTNAME\n${reader};Bob\nnobody;Nobody\n`,
    newList: { listName: "Readers", folderId: 1 },
  });
  await lines.next();
  const { status, info } = await processes.getProcess({ processId });
  console.log(`import ${status}, ${info.import.invalid_emails} invalid`);
  console.log(`${(await processes.getProcesses({ limit: 10 })).count} process`);
  const { lists: [readers] } = await contacts.getLists();
  return readers.id;
}

async function send({ emailCampaigns, transactionalEmails }, templateId, readers, sender, reader) {
  await transactionalEmails.sendTestTemplate({ templateId, body: { emailTo: [reader] } });
  const recipients = { listIds: [readers] };
  const { id: campaignId } = await emailCampaigns.createEmailCampaign({
    name: "June",
    sender: { email: sender, name: "News" },
    subject: "June",
    templateId,
    recipients,
  });
  await emailCampaigns.updateEmailCampaign({ campaignId, name: "July", recipients });
  await emailCampaigns.sendTestEmail({ campaignId, body: { emailTo: [reader] } });
  for (const { name, status } of (await emailCampaigns.getEmailCampaigns({ status: "draft" })).campaigns) {
    console.log(`campaign ${name} is ${status}`);
  }
  await emailCampaigns.sendEmailCampaignNow({ campaignId });
  await lines.next();
  const { name, status, statistics } = await emailCampaigns.getEmailCampaign({ campaignId, statistics: "globalStats" });
  console.log(`campaign ${name} is ${status}, ${statistics.globalStats.sent} sent`);
  return campaignId;
}

await run(async (brevo, sender, reader) => {
  const { emailCampaigns, transactionalEmails } = brevo;
  const templateId = await makeTemplate(brevo, sender);
  const readers = await importReaders(brevo, reader);
  const campaignId = await send(brevo, templateId, readers, sender, reader);

  await emailCampaigns.updateCampaignStatus({ campaignId, body: { status: "archive" } });
  await emailCampaigns.deleteEmailCampaign({ campaignId });
  const gone = await refusal(emailCampaigns.getEmailCampaign({ campaignId }));
  console.log(`campaign: ${gone?.body.code}`);
  await transactionalEmails.updateSmtpTemplate({ templateId, isActive: false });
  console.log(`${(await transactionalEmails.getSmtpTemplates({ templateStatus: false })).count} inactive template`);
  await transactionalEmails.deleteSmtpTemplate({ templateId });
  process.stdin.destroy();
});
