// Forms that make control calls (`form.control`), and show each as curl.

import { refresh } from "./live.js";
import { kept } from "./times.js";
import { counted, effectOf } from "./told.js";

// The value of a field as JSON; undefined where it is left out.
function value(field) {
  if (field.type === "checkbox") return field.checked || undefined;
  if (field.type === "file") return field.files.length ? field.content : undefined;
  const text = field.value;
  if (text === "" || (field.type === "radio" && !field.checked)) return undefined;
  switch (field.dataset.type) {
    case "number":
      return Number(text);
    case "boolean":
      return text === "true";
    case "json":
      return JSON.parse(text);
    case "lines":
      return text.split("\n").map((line) => line.trim()).filter(Boolean);
    default:
      return text;
  }
}

function fields(form) {
  return [...form.elements].filter((field) => field.name && !field.disabled && field.type !== "button");
}

// The request of a form as it stands: method, path and body. A field that is no JSON where it should be is an error.
// A button with a name sends its value, with the fields of its `data-only`.
export function request(form, button = null) {
  let path = form.dataset.path;
  const body = {};
  const only = button?.dataset.only.split(" ");
  for (const field of button ? [...fields(form).filter(({ name }) => only.includes(name)), button] : fields(form)) {
    const place = `{${field.name}}`;
    if (path.includes(place)) {
      path = path.replaceAll(place, encodeURIComponent(field.value));
      continue;
    }
    let found;
    try {
      found = value(field);
    } catch (error) {
      throw Object.assign(new Error(`is no JSON: ${error.message}`), { field });
    }
    if (found !== undefined) put(body, field.name.split("."), found);
  }
  return { method: form.dataset.method, path, body: Object.keys(body).length ? JSON.stringify(body) : null };
}

function put(body, names, found) {
  const name = names.pop();
  for (const each of names) body = body[each] ??= {};
  body[name] = found;
}

// ------------------------------------------------------------------ as curl

export function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

// An address for others: that of the setting public_url, or else of this browser.
function absolute(path) {
  const [here, server] = [path, `${document.getElementById("switcher").dataset.server}/`].map((each) => new URL(each, location.href).href);
  return "public" in document.body.dataset ? here.replace(server, `${document.body.dataset.public}/`) : here;
}

export function asCurl({ method, path, body, type = "application/json" }) {
  const address = absolute(path);
  const parts = ["curl"];
  if (address.startsWith("https:")) parts.push("--insecure"); // as with all commands that the dashboard shows
  if (method !== (body === null ? "GET" : "POST")) parts.push("-X", method);
  parts.push(quoted(address));
  if ("token" in document.body.dataset) parts.push('-H "Authorization: Bearer $MOCKSERVER_CONTROL_TOKEN"');
  if (body !== null) parts.push("-H", quoted(`Content-Type: ${type}`), "-d", quoted(body));
  return parts.join(" ");
}

function showCurl(form) {
  const code = form.querySelector("details.curl code");
  if (!code) return;
  try {
    code.textContent = asCurl(request(form));
  } catch {
    // It is said when the form is sent.
  }
}

function showAll() {
  document.querySelectorAll("form.control").forEach(showCurl);
}
document.addEventListener("change", async ({ target }) => {
  if (target.type !== "file" || !target.form?.matches(".control")) return;
  target.content = "";
  target.content = (await target.files[0]?.text()) ?? "";
  showCurl(target.form);
});
document.addEventListener("input", (event) => event.target.form?.matches(".control") && showCurl(event.target.form));
document.addEventListener("reset", (event) => setTimeout(() => event.target.matches(".control") && showCurl(event.target)));
document.addEventListener("dashboard:shown", showAll);
showAll();

// ------------------------------------------------------------------ the call

document.addEventListener("submit", (event) => {
  if (!event.target.matches("form.control")) return;
  event.preventDefault();
  call(event.target);
});
document.addEventListener("click", ({ target }) => target.matches("button[data-only]") && call(target.form, target));

async function call(form, button = null) {
  if (form.dataset.confirm && !confirm(form.dataset.confirm)) return;
  clear(form);
  let wanted;
  try {
    wanted = request(form, button);
  } catch (error) {
    return complain(form, [[error.field, error.message]], "");
  }
  await send(form, wanted);
}

// Make a call, and say in the form what has come of it; the answer is given to who listens to `dashboard:answered`.
export async function send(form, { method, path, body, type = "application/json" }) {
  const button = form.querySelector(".send button");
  say(form, "Sent, and waiting for the answer.");
  button?.setAttribute("aria-disabled", "true");
  try {
    const answer = await fetch(path, { method, body, headers: body === null ? {} : { "Content-Type": type } });
    const text = await answer.text();
    const found = answer.headers.get("Content-Type")?.includes("json") && text ? JSON.parse(text) : text;
    if (answer.ok) succeed(form, effectOf(form, method, path, found), found);
    else refuse(form, answer.status, found);
    form.dispatchEvent(new CustomEvent("dashboard:answered", { bubbles: true, detail: { status: answer.status, body: found } }));
    return answer.ok;
  } catch (error) {
    say(form, `The server does not answer. Nothing that you typed is lost. (${error.message})`, true);
    return false;
  } finally {
    button?.removeAttribute("aria-disabled");
  }
}

function succeed(form, { parts, isBad }, found) {
  if ("then" in form.dataset) {
    kept("sessionStorage", "told", parts.join(""));
    location.assign(addressOf(form.dataset.then, found));
    return;
  }
  if (found?.fired) announceMove(found);
  else if ("made" in form.dataset) announce(parts, addressOf(form.dataset.made, found));
  // Fresh pages replace such a form, with what it says.
  else if (form.closest("[data-live]")) announce(parts, "", isBad);
  say(form, parts.join(""), isBad ? "warn" : "");
  // What was typed is what now stands there, so it is no longer held back from a fresh page.
  for (const field of fields(form)) {
    if (field.type === "checkbox" || field.type === "radio") field.defaultChecked = field.checked;
    else if (field instanceof HTMLSelectElement) for (const option of field.options) option.defaultSelected = option.selected;
    else field.defaultValue = field.value;
  }
  refresh();
}

// An address in which names in braces stand for members of an answer.
function addressOf(template, found) {
  return template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(found?.[name] ?? ""));
}

// ------------------------------------------------------------------ what stays to be read

const said = document.getElementById("said");
// So long it stays, in milliseconds.
const STAYS_MS = 10000;
let over = 0;

// Say at the edge of the window what a call has done: its form may be far from there, or be replaced.
function announce([before, name = "", after = ""], address = "", isBad = false) {
  const thing = address && name ? Object.assign(document.createElement("a"), { href: address, textContent: name }) : name;
  said.replaceChildren(before, thing, after);
  said.classList.toggle("warn", isBad);
  clearTimeout(over);
  over = setTimeout(clearSaid, STAYS_MS);
}

function clearSaid() {
  if (said.matches(":hover, :focus-within")) over = setTimeout(clearSaid, STAYS_MS);
  else said.replaceChildren();
}

// What was done on the page before.
if (kept("sessionStorage", "told")) announce([kept("sessionStorage", "told")]);
kept("sessionStorage", "told", "");

// Say how many timers a move of the clock has fired. The page "Clock" lists them by itself.
export function announceMove({ now, fired }) {
  if (document.getElementById("moved")) return;
  const { root } = document.body.dataset;
  announce([`${now.slice(0, 19).replace("T", " ")}: `, `${counted(fired.length, "timer")} fired`], `${root}/_mock/ui/clock#fired-title`);
}

function refuse(form, status, problem) {
  const mistakes = (problem?.errors ?? []).map(({ path, message, line }) => {
    return [fieldOf(form, path), line ? `${message} (line ${line} of the file)` : message, path];
  });
  complain(form, mistakes, problem?.detail ?? `The server answers ${status}.`);
}

// The field that stands for a member: the longest name that begins its path.
function fieldOf(form, pointer) {
  const path = pointer.split("/").slice(1).join(".");
  const found = fields(form).filter((field) => path === field.name || path.startsWith(`${field.name}.`));
  return found.sort((one, other) => other.name.length - one.name.length)[0];
}

function complain(form, mistakes, detail) {
  const elsewhere = [];
  for (const [field, message, path] of mistakes) {
    if (!field) {
      elsewhere.push(path ? `${path}: ${message}` : message);
      continue;
    }
    const note = document.createElement("p");
    note.className = "mistake";
    note.id = `${form.id}-${field.name}-mistake`;
    note.textContent = message;
    field.after(note);
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", note.id);
  }
  say(form, !mistakes.length ? detail : elsewhere.length ? elsewhere.join("; ") : "Not done: see the marked fields.", true);
  mistakes.find(([field]) => field)?.[0].focus();
}

function clear(form) {
  form.querySelectorAll(".mistake").forEach((note) => note.remove());
  form.querySelectorAll("[aria-invalid]").forEach((field) => {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  });
}

// `look` is `warn` where it needs a look, and true where it failed.
export function say(form, text, look = "") {
  const outcome = form.querySelector(".outcome");
  if (!outcome) return;
  outcome.textContent = text;
  outcome.classList.toggle("bad", look === true);
  outcome.classList.toggle("warn", look === "warn");
}
