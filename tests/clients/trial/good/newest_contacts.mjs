// Shows the five newest contacts, and how many there are.
const { MOCKSERVER_URL } = process.env;

const answer = await fetch(`${MOCKSERVER_URL}/v3/contacts?limit=5&sort=desc`, { headers: { "api-key": "any" } });
const { contacts, count } = await answer.json();
[count, ...contacts.map(({ email }) => email)].join();
