// The switcher of workspaces in the header: lists those whose name or label matches, each with the present page.

const switcher = document.getElementById("switcher");
const field = switcher.querySelector("input");
const MOST = 8;

async function list() {
  const { server, page } = switcher.dataset;
  const wanted = field.value;
  const found = new Map();
  try {
    // By how its test ended, a part of the name, or of the label, such as the id of a test.
    for (const by of /^(failed|passed)$/.test(wanted) ? ["outcome", "name", "label"] : ["name", "label"]) {
      const answer = await fetch(`${server}/_mock/workspaces?limit=${MOST}&${by}=${encodeURIComponent(wanted)}`);
      if (answer.ok) for (const each of (await answer.json()).items) found.set(each.name, each);
    }
  } catch {
    // The form leads to the list.
  }
  if (wanted !== field.value) return; // an answer to fewer letters has come later
  switcher.querySelector("ul").replaceChildren(...[...found].slice(0, MOST).map(([name, { label, outcome }]) => {
    const link = document.createElement("a");
    link.href = `${server}/w/${encodeURIComponent(name)}/_mock/ui/${page || "requests"}${page === "search" ? location.search : ""}`;
    link.append(Object.assign(document.createElement("bdi"), { textContent: name }));
    const row = document.createElement("li");
    row.append(link);
    if (outcome) row.append(" ", Object.assign(document.createElement("span"), { className: `badge ${outcome === "failed" ? "bad" : "ok"}`, textContent: outcome }));
    if (label) row.append(" ", Object.assign(document.createElement("bdi"), { className: "soft", textContent: label }));
    return row;
  }));
}

switcher.addEventListener("toggle", () => {
  if (!switcher.open) return;
  field.focus();
  list();
});
field.addEventListener("input", list);
switcher.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  switcher.open = false;
  switcher.querySelector("summary").focus();
});
