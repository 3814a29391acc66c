// Sends a request again, as it was or edited, to the workspace of this page, and shows what came of it.

import { say } from "./calls.js";
import { read as readPage } from "./detail.js";

// The name of the snapshot of the state before the request.
const BEFORE = "before-sending";

// They come later where the page stands beside a list.
let form = null;
let shown = null;

document.addEventListener("submit", async (event) => {
  if (event.target.id !== "again") return;
  event.preventDefault();
  form = event.target;
  shown = document.getElementById("again-answer");
  shown.replaceChildren();
  let request;
  try {
    request = read(event.submitter?.value ? unchanged() : form);
  } catch (error) {
    return say(form, `Not sent: ${error.message}`, true);
  }
  if (form.elements.keeps.checked && !(await keep())) return;
  say(form, "Sent, and waiting for the answer.");
  const answer = await fetch(request).catch(() => null);
  const id = answer?.headers.get("sib-request-id") ?? (await newest());
  if (id) await show(id);
  else say(form, "The server does not answer. Nothing that you typed is lost.", true);
});

// What is edited most comes first.
document.addEventListener("toggle", ({ target }) => {
  if (target.id !== "again-edit" || !target.open) return;
  const { body, target: address } = target.closest("form").elements;
  (body ?? address).focus();
}, true);

// The form as the server has sent it.
function unchanged() {
  const found = form.cloneNode(true);
  found.reset();
  return found;
}

function read({ elements: { key, target, headers, body }, dataset: { root, from, method } }) {
  const own = new URL(`${root}/`, location.href).href;
  const url = new URL(root + target.value, location.href).href;
  // Other workspaces and the control API stand below `/w/` and `/_mock`.
  if (!url.startsWith(own) || /^(w|_mock)(\/|$)/.test(decodeURIComponent(url.slice(own.length).split("?")[0]))) {
    throw new Error(`${target.value} leads out of this workspace`);
  }
  const sent = new Headers(key.value ? { "api-key": key.value } : {});
  for (const line of headers.value.split("\n").filter((each) => each.trim())) {
    const [name, ...rest] = line.split(":");
    sent.set(name.trim(), rest.join(":").trim());
  }
  sent.set("x-mock-sent-from", from);
  const text = body?.value ? new TextEncoder().encode(body.value) : undefined;
  // The session of the dashboard is no part of the request.
  return new Request(url, { method, headers: sent, body: text, credentials: "omit", redirect: "manual", referrerPolicy: "no-referrer" });
}

// Keep the present state, to compare it with the one after the request.
async function keep() {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ name: BEFORE });
  const answer = await fetch(`${form.dataset.root}/_mock/snapshots`, { method: "POST", headers, body }).catch(() => null);
  if (!answer?.ok) say(form, `Not sent: ${(await answer?.json())?.detail ?? "the server does not answer"}`, true);
  return answer?.ok;
}

// The request that was sent last, where its answer did not tell its id.
async function newest() {
  const { root, from } = form.dataset;
  const answer = await fetch(`${root}/_mock/requests?limit=20`).catch(() => null);
  const { items } = answer?.ok ? await answer.json() : { items: [] };
  return items.find(({ request }) => request.headers["x-mock-sent-from"] === from)?.id;
}

// Show the outcome, the answer and the effects, as the page of the new request does.
async function show(id) {
  const address = `${form.dataset.root}/_mock/ui/requests/${id}`;
  const page = await readPage(address);
  const number = page.getElementById("number");
  const link = document.createElement("a");
  link.href = address;
  link.textContent = number?.textContent ?? "The request";
  number?.replaceChildren(link);
  // The page has its heading already.
  const head = document.createElement("p");
  head.append(...page.querySelector("#outcome h1").childNodes);
  shown.replaceChildren(number, head, ...page.querySelectorAll("#outcome > p, #answer, #effects"));
  for (const each of shown.querySelectorAll("[id], [data-live]")) {
    each.removeAttribute("id");
    delete each.dataset.live;
  }
  if (form.elements.keeps.checked) {
    const changes = document.createElement("a");
    changes.href = `${form.dataset.root}/_mock/ui/state/compare?from=${BEFORE}`;
    changes.textContent = "What it has changed in the state";
    shown.append(changes);
  }
  say(form, "");
  link.focus();
}
