// The text area for a document in YAML: the numbers of its lines, mistakes at them, and a text that is never lost.

import { say, send } from "./calls.js";
import { refresh } from "./live.js";

// How many lines of a difference are shown.
const MOST_DIFFERENT = 60;

const form = document.getElementById("document");
const area = form.elements.document;
const numbers = form.querySelector(".edited .numbers");
const list = document.getElementById("mistakes");
const key = `mockserver ${location.pathname}`;

// The state from which the text in the area was made, and its digest.
let base = area.defaultValue;
let digest = form.dataset.digest;
// The state as it stands now, where that differs from it.
let fresh = null;
let before = null;
let marked = new Set();
let count = 0;

// ------------------------------------------------------------------ what is typed outlives the page

function keep() {
  try {
    if (area.value === base) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify({ base, digest, text: area.value }));
  } catch {
    // There is no room: the text is in the area only.
  }
}

function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(key));
  } catch {
    return null;
  }
}

function recall() {
  const found = kept();
  if (!found || found.text === area.defaultValue) return;
  area.value = found.text;
  if (found.digest !== digest) changed(base, found);
  show("draft", true);
}

// ------------------------------------------------------------------ lines

function write(text) {
  area.value = text;
  mark(new Set());
  keep();
}

function mark(lines) {
  marked = lines;
  count = area.value.split("\n").length;
  const parts = [];
  let text = "";
  for (let line = 1; line <= count; line++) {
    if (marked.has(line)) {
      parts.push(text, marker(line));
      text = "\n";
    } else text += `${line}\n`;
  }
  numbers.replaceChildren(...parts, text);
  numbers.scrollTop = area.scrollTop;
}

function marker(line) {
  const found = document.createElement("mark");
  found.textContent = `▸ ${line}`;
  return found;
}

// Marks go along with their lines where lines come or go before them.
area.addEventListener("input", () => {
  const text = area.value;
  const more = text.split("\n").length - count;
  if (more) {
    const line = text.slice(0, area.selectionStart).split("\n").length - Math.max(more, 0);
    mark(new Set([...marked].map((at) => (at > line ? at + more : at))));
  }
  keep();
});
area.addEventListener("scroll", () => (numbers.scrollTop = area.scrollTop));

// Put the caret at the beginning of a line, in the middle of what is seen.
function go(line) {
  const lines = area.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  area.scrollTop = (area.scrollHeight / lines.length) * (line - 1) - area.clientHeight / 2;
}

// ------------------------------------------------------------------ sending

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  complain([]);
  // Whether the state has changed since the last look; if the server does not answer, the call itself says so.
  if (digest) await refresh();
  if (fresh) return document.getElementById("changed").focus();
  const { method, path } = form.dataset;
  if (!area.value.trim()) return say(form, "There is nothing to send.", true);
  if (!(await send(form, { method, path, body: area.value, type: "application/yaml" }))) return;
  base = area.value;
  digest &&= "sent";
  show("draft", false);
  keep();
  refresh();
});

form.addEventListener("dashboard:answered", ({ detail: { status, body } }) => {
  if (status < 400 || !body?.errors) return;
  complain(body.errors);
  say(form, `Nothing has changed: ${body.errors.length === 1 ? "there is a mistake" : `there are ${body.errors.length} mistakes`}.`, true);
});

function complain(mistakes) {
  list.replaceChildren(...mistakes.map(item));
  mark(new Set(mistakes.map(({ line }) => line).filter(Boolean)));
  if (mistakes.length) area.setAttribute("aria-invalid", "true");
  else area.removeAttribute("aria-invalid");
}

function item({ path, message, line }) {
  const row = document.createElement("li");
  if (line) {
    const link = document.createElement("a");
    link.href = "#text";
    link.textContent = `Line ${line}`;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      go(line);
    });
    row.append(link, ": ");
  }
  const place = document.createElement("code");
  place.textContent = path;
  const said = document.createElement("bdi");
  said.textContent = message;
  row.append(...(path ? [place, " "] : []), said);
  return row;
}

// ------------------------------------------------------------------ the state changes meanwhile

const present = () => document.getElementById("read")?.dataset.digest;

document.addEventListener("dashboard:shown", async () => {
  const now = present();
  if (!now || now === (fresh ?? { digest }).digest) return;
  const answer = await fetch(form.dataset.state).catch(() => null);
  const text = answer?.ok ? await answer.text() : null;
  if (text !== null && now === present()) changed(text, { base, digest }, now);
});

// Say that the state is another one than that from which the text was made; a text that nobody has changed follows.
function changed(text, from, now = digest) {
  ({ base, digest } = from);
  if (area.value === base) return take(text, now);
  if (now === digest) return show("changed", Boolean((fresh = null)));
  fresh = { text, digest: now };
  const rows = difference(base, text);
  const more = rows.length - MOST_DIFFERENT;
  document.getElementById("changed-how").textContent = "Lines that went begin with a minus, lines that came with a plus.";
  document.getElementById("difference").textContent =
    rows.slice(0, MOST_DIFFERENT).join("\n") + (more > 0 ? `\n… and ${more} lines more` : "");
  show("changed", true);
  say(form, "The state has changed meanwhile. Above the text is what is different.");
}

function take(text, now) {
  [base, digest, fresh] = [text, now, null];
  area.defaultValue = text;
  const { scrollTop, selectionStart, selectionEnd } = area;
  write(text);
  area.setSelectionRange(selectionStart, selectionEnd);
  area.scrollTop = scrollTop;
  show("changed", false);
  show("draft", false);
}

const ACTIONS = {
  keep() {
    [base, digest, fresh] = [fresh.text, fresh.digest, null];
    show("changed", false);
    keep();
  },
  take() {
    before = { text: area.value, base, digest };
    take(fresh.text, fresh.digest);
    show("taken", true);
  },
  back() {
    write(before.text);
    show("taken", false);
  },
  discard() {
    before = { text: area.value };
    if (fresh) take(fresh.text, fresh.digest);
    else write(base);
    show("draft", false);
    show("taken", true);
  },
};

form.addEventListener("click", (event) => {
  const name = event.target.dataset.do;
  if (!name) return;
  ACTIONS[name]();
  say(form, "");
  area.focus();
});

document.getElementById("file").addEventListener("change", async ({ target }) => {
  const [file] = target.files;
  if (!file) return;
  before = { text: area.value };
  write(await file.text());
  target.value = "";
  show("taken", true);
  say(form, `${file.name} is in the text area. Nothing is sent yet.`);
  area.focus();
});

function show(id, isShown) {
  document.getElementById(id).hidden = !isShown;
}

// The lines that differ, member by member: of each, what stands between its equal beginning and its equal end.
function difference(old, now) {
  const [was, is] = [members(old), members(now)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((name) => differs(was.get(name) ?? [], is.get(name) ?? []));
}

function members(text) {
  const found = new Map();
  let lines = [];
  // That a running clock has gone on is no difference.
  const same = text.replace(/^ {2}start: .*\n(?= {2}frozen: false$)/m, "");
  for (const line of same.split("\n")) {
    if (/^[a-z]/.test(line)) found.set(line.split(":")[0], (lines = []));
    lines.push(line);
  }
  return found;
}

function differs(was, is) {
  let from = 0;
  while (from < was.length && from < is.length && was[from] === is[from]) from++;
  let end = 0;
  while (end < was.length - from && end < is.length - from && was.at(-1 - end) === is.at(-1 - end)) end++;
  return [
    ...was.slice(from, was.length - end).map((line) => `- ${line}`),
    ...is.slice(from, is.length - end).map((line) => `+ ${line}`),
  ];
}

recall();
mark(new Set());
