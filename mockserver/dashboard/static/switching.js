// The switcher of workspaces in the header: lists those that match, each with the present page.

const switcher = document.getElementById("switcher");
const field = switcher.querySelector("input");
const MOST = 8;

async function list() {
  const { server, page } = switcher.dataset;
  const name = field.value;
  let found = [];
  try {
    const answer = await fetch(`${server}/_mock/workspaces?limit=${MOST}&name=${encodeURIComponent(name)}`);
    if (answer.ok) found = (await answer.json()).items;
  } catch {
    // The form leads to the list.
  }
  if (name !== field.value) return; // an answer to fewer letters has come later
  switcher.querySelector("ul").replaceChildren(...found.map((workspace) => {
    const link = document.createElement("a");
    link.href = `${server}/w/${encodeURIComponent(workspace.name)}/_mock/ui/${page || "requests"}`;
    link.append(Object.assign(document.createElement("bdi"), { textContent: workspace.name }));
    const row = document.createElement("li");
    row.append(link);
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
