// Lists the children of a reseller.
const { MOCKSERVER_URL, SEED = "0" } = process.env;

const answer = await fetch(`${MOCKSERVER_URL}/v3/reseller/children?limit=${(Number(SEED) % 20) + 1}&offset=0`, {
  headers: { "api-key": "any" },
});
await answer.text();
