// Reads and makes rows beside each other, in the way that the argument names.
const { MOCKSERVER_URL, SEED = "0" } = process.env;
const headers = { "api-key": "any", "content-type": "application/json" };
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const call = (path, options = {}) => fetch(`${MOCKSERVER_URL}/v3/${path}`, { headers, ...options });
const range = (number) => [...Array(number).keys()];

let until = 0; // every 429 closes the gate for as long as its header says

async function read(path) {
  for (;;) {
    while (Date.now() < until) await sleep(until - Date.now() + 1);
    const answer = await call(path);
    await answer.arrayBuffer();
    if (answer.status !== 429) return;
    until = Date.now() + Number(answer.headers.get("x-sib-ratelimit-reset")) * 1000;
  }
}

async function work(paths) {
  while (paths.length > 0) await read(paths.pop());
}

async function* rows(path, member, limit) {
  for (let offset = 0, count = 1; offset < count; offset += limit) {
    const page = await (await call(`${path}?limit=${limit}&offset=${offset}`)).json();
    yield* page[member] ?? [];
    count = page.count;
  }
}

const path = (number) => `contacts/contact${(number * 7 + Number(SEED)) % 120}@list.test`;
const WAYS = {
  "all at once": () => Promise.all(range(20).map((number) => read(path(number)))),
  "workers": () => {
    const paths = range(60).map(path);
    return Promise.all(range(5).map(() => work(paths)));
  },
  "equal requests": () => Promise.all(range(12).map(() => read("account"))),
  "groups of four": async () => {
    for (const first of range(10)) await Promise.all(range(4).map((number) => read(path(first * 4 + number))));
  },
  "a look-up after a lost write": async () => {
    const email = `new${SEED}@list.test`;
    const answer = await call("contacts", { method: "POST", body: JSON.stringify({ email }) });
    if (answer.status < 500) return;
    for await (const row of rows("contacts", "contacts", 50)) if (row.email === email) return;
  },
  "a lazy search": async () => {
    for await (const row of rows("contacts/lists", "lists", 10)) {
      if (row.name === "List 9") return call(`contacts/lists/${row.id}`, { method: "PUT", body: '{"name":"Nine"}' });
    }
  },
};

await WAYS[process.argv[2]]();
