// Shows the lists of contacts to choose from.
const { MOCKSERVER_URL } = process.env;

const answer = await fetch(`${MOCKSERVER_URL}/v3/contacts/lists`, { headers: { "api-key": "any" } });
const { lists } = await answer.json();
lists.map(({ id, name }) => `${id}: ${name}`).sort();
