// Contacts out of a shop: `import_contacts.mjs` reads `EMAIL PLAN` in each line of the standard input, makes or changes
// the contacts, lists them, and takes the attribute away in the end.
import { createInterface } from "node:readline";

import { refusal, run } from "./api.mjs";

const PAGE = 2;
const attribute = { attributeCategory: "normal", attributeName: "SHOP_PLAN" };

async function put(contacts, email, members) {
  const refused = await refusal(contacts.createContact({ email, ...members }));
  if (!refused) {
    console.log(`${email} is new`);
  } else if (refused.body.code === "duplicate_parameter") {
    await contacts.updateContact({ identifier: email, ...members });
    console.log(`${email} is changed`);
  } else {
    throw refused;
  }
}

async function list(contacts) {
  for (let offset = 0; ; offset += PAGE) {
    const page = await contacts.getContacts({ limit: PAGE, offset, sort: "asc" });
    for (const { email } of page.contacts) {
      const { attributes } = await contacts.getContactInfo({ identifier: email });
      console.log(`${email} has plan ${attributes.SHOP_PLAN}`);
    }
    if (offset + PAGE >= page.count) return page.count;
  }
}

await run(async ({ contacts }) => {
  await contacts.createAttribute({ ...attribute, type: "text" });
  const { id } = await contacts.createList({ name: "Shop", folderId: 1 });

  for await (const line of createInterface({ input: process.stdin })) {
    const [email, plan] = line.split(" ");
    await put(contacts, email, { attributes: { SHOP_PLAN: plan }, listIds: [id] });
  }
  console.log(`${await list(contacts)} contacts`);

  await contacts.deleteAttribute(attribute);
  const { attributes } = await contacts.getAttributes();
  if (!attributes.some(({ name }) => name === attribute.attributeName)) console.log("the attribute is gone");
  const again = await refusal(contacts.deleteAttribute(attribute));
  if (again?.statusCode !== 404) throw new Error("the attribute could be deleted twice");
});
