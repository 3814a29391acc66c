// Keeps a page as the workspace is: when the stream says that something has happened, the page is fetched again, and of
// its pieces (`data-live`, the kinds of things that they show) those are replaced that have changed.

import { written } from "./typing.js";

const EVERY_S = 1;
// So long the page waits before it asks again whether a server is back, in milliseconds.
const AGAIN_MS = 2000;
// A page is fetched so seldom that writing it takes the server at most this part of its time.
const SHARE = 0.01;
const LONGEST_REST_MS = 30000;

const { root, seen } = document.body.dataset;
const connection = document.getElementById("connection");
const live = document.getElementById("live");
// A page beside this one (`detail.js`): the element that shows it, and what loads it again.
export const beside = { element: null, load: null };
// What the server has sent of each piece and of each row; what has become of it since does not matter.
const sent = new WeakMap();

let source = null;
let last = Number(seen);
let again = 0;
let running = false;
let news = new Set();
let notBefore = 0;
// What the last fetch has taken the server, in milliseconds.
let tookMs = 0;

export function remember(element) {
  sent.set(element, element.outerHTML);
  if ("rows" in element.dataset) for (const row of element.children) sent.set(row, row.outerHTML);
}

function pieces(page) {
  return page.querySelectorAll("[data-live][id]");
}

// ------------------------------------------------------------------ the stream

function connect() {
  disconnect();
  if (document.hidden) return;
  source = new EventSource(`${root}/_mock/stream?every=${EVERY_S}&last_event_id=${last}`);
  source.onopen = () => {
    say("");
    live.textContent = "Live";
  };
  source.addEventListener("news", (event) => {
    last = Number(event.lastEventId) || last;
    refresh(Object.keys(JSON.parse(event.data)), false);
  });
  source.onerror = lost;
}

function disconnect() {
  clearTimeout(again);
  source?.close();
  source = null;
  live.textContent = "";
}

// The stream has ended: the page itself knows why, as an error of a stream tells no reason.
async function lost() {
  disconnect();
  if (document.hidden) return;
  if (await refresh(["reset"])) connect();
  else again = setTimeout(lost, AGAIN_MS);
}

// A page that is seen again has missed what no stream tells afterwards, so it is fetched in any case.
async function resume() {
  if (await refresh()) connect();
  else lost();
}

document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : resume()));
addEventListener("pagehide", disconnect);
addEventListener("pageshow", (event) => event.persisted && resume());

// ------------------------------------------------------------------ the page, again

// Whether the server has sent the page; with other news meanwhile it is fetched once more. With `now` at once.
export async function refresh(kinds = ["reset"], now = true) {
  for (const kind of kinds) news.add(kind);
  if (running) return true;
  running = true;
  try {
    let answered = true;
    while (answered && wanted()) {
      if (!now) await new Promise((done) => setTimeout(done, notBefore - performance.now()));
      now = false;
      news = new Set();
      tookMs = 0;
      answered = await fetched();
      notBefore = performance.now() + Math.min(tookMs / SHARE, LONGEST_REST_MS);
    }
    return answered;
  } finally {
    running = false;
  }
}

// Whether some piece shows what there is news of.
function wanted() {
  if (news.has("reset") || news.has("lost")) return true;
  if (!news.size) return false;
  // The header alone is no reason to fetch a page that is not live.
  return document.querySelector("main [data-live]") && [...pieces(document)].some((piece) => {
    const kinds = piece.dataset.live.split(" ").filter(Boolean);
    return !kinds.length || kinds.some((kind) => news.has(kind));
  });
}

async function fetched() {
  let answer;
  try {
    answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
  } catch {
    say("The server does not answer. This page goes on by itself when it does.");
    return false;
  }
  tookMs = Number(/dur=([\d.]+)/.exec(answer.headers.get("Server-Timing"))?.[1] ?? 0);
  if (answer.redirected && !answer.url.startsWith(location.href.split(/[?#]/)[0])) {
    say("This session has ended. ", answer.url, "Sign in again");
    return false;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (!answer.ok) {
    const way = page.querySelector("#problem + p a");
    say(`${page.getElementById("problem")?.textContent ?? `The server answers ${answer.status}.`} `, way?.href, way?.textContent);
    return false;
  }
  const other = await beside.load?.();
  await released;
  last = Math.max(last, Number(page.body.dataset.seen) || 0);
  document.body.dataset.clock = page.body.dataset.clock;
  show(page, document);
  if (other) show(other, beside.element);
  document.title = page.title;
  document.dispatchEvent(new CustomEvent("dashboard:shown"));
  say("");
  return true;
}

function show(page, shown) {
  // What is replaced above a paused list could push it.
  const isStill = isBehind = [...document.querySelectorAll("[data-pausable]")].some(isPaused);
  for (const piece of pieces(shown)) {
    if (shown === document && beside.element?.contains(piece)) continue;
    const fresh = page.getElementById(piece.id);
    if (!fresh || (isStill && !("pausable" in piece.dataset) && piece.closest("main"))) continue;
    if ("rows" in piece.dataset && "rows" in fresh.dataset) showRows(piece, fresh);
    else replace(piece, fresh);
  }
}

// Rows by their ids: new ones come, gone ones go, equal ones are not touched. In a paused list, none comes or goes.
function showRows(piece, fresh) {
  const known = new Map([...piece.children].map((row) => [row.id, row]));
  if (isPaused(piece)) return showPaused(piece, fresh, known);
  document.getElementById(`${piece.id}-paused`)?.remove();
  if ("added" in fresh.dataset) piece.dataset.added = fresh.dataset.added;
  let at = piece.firstElementChild;
  for (const row of [...fresh.children]) {
    let mine = known.get(row.id);
    known.delete(row.id);
    if (mine) {
      const follows = mine === at;
      mine = replace(mine, row);
      if (follows) {
        at = mine.nextElementSibling;
        continue;
      }
    } else {
      sent.set(row, row.outerHTML);
      mine = row;
    }
    piece.insertBefore(mine, at);
  }
  for (const row of known.values()) if (!isHeld(row)) row.remove();
}

// ------------------------------------------------------------------ clicks

// A click begins and ends at the same element: until the pointer is released, the page stays as it is.
const LONGEST_PRESS_MS = 3000;
let released = null;
let release = null;

addEventListener("pointerdown", () => {
  released = new Promise((done) => (release = done));
  setTimeout(release, LONGEST_PRESS_MS);
});
for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, () => release && setTimeout(release));

// ------------------------------------------------------------------ paused lists

// The list under the pointer. A pointer that rests where a page opens does not count.
let pointed = null;
// Whether the last fetch has found a paused list, so that the page does not show everything.
let isBehind = false;

// Whether somebody is reading a list (`data-pausable`): the pointer or the focus is in it, or its top is scrolled away.
function isPaused(piece) {
  if (!("pausable" in piece.dataset) || !piece.children.length) return false;
  return piece === pointed || piece.contains(document.activeElement) || piece.getBoundingClientRect().top < 0;
}

function showPaused(piece, fresh, known) {
  let number = 0;
  for (const row of [...fresh.children]) {
    const mine = known.get(row.id);
    if (mine) replace(mine, row);
    else if (row.querySelector("a")) number += 1;
  }
  const added = Number(fresh.dataset.added) - Number(piece.dataset.added);
  if (!number && !(added > 0)) return;
  let pill = document.getElementById(`${piece.id}-paused`);
  if (!pill) {
    pill = Object.assign(document.createElement("button"), { id: `${piece.id}-paused`, type: "button", className: "pill" });
    pill.onclick = () => {
      pointed = null;
      scrollTo(0, 0);
      document.activeElement.blur();
      refresh();
    };
    piece.before(pill);
  }
  pill.textContent = `Paused, ${Math.max(added || 0, number).toLocaleString("en")} new`;
}

function goOn() {
  if (isBehind && ![...document.querySelectorAll("[data-pausable]")].some(isPaused)) refresh();
}

document.addEventListener("mousemove", ({ target, movementX, movementY }) => {
  const list = target.closest?.("[data-pausable]") ?? null;
  if (list === pointed || (list && !movementX && !movementY)) return;
  pointed = list;
  goOn();
});
document.documentElement.addEventListener("mouseleave", () => {
  pointed = null;
  goOn();
});
document.addEventListener("focusout", () => setTimeout(goOn));
addEventListener("scroll", goOn, { passive: true });

// What stands there afterwards: the fresh element, or the old one where it is the same, or in use.
function replace(old, fresh) {
  const html = fresh.outerHTML;
  if (sent.get(old) === html || isHeld(old)) return old;
  for (const details of old.querySelectorAll("details[id]")) {
    const same = fresh.querySelector(`#${CSS.escape(details.id)}`);
    if (same) same.open = details.open;
  }
  const focus = focused(old);
  const scrolled = [...old.querySelectorAll("[id]"), old].filter((each) => each.scrollLeft || each.scrollTop);
  old.replaceWith(fresh);
  sent.set(fresh, html);
  for (const { id, scrollLeft, scrollTop } of scrolled) document.getElementById(id)?.scrollTo(scrollLeft, scrollTop);
  if (focus) focus(fresh);
  return fresh;
}

// Whether somebody is typing, choosing or selecting there.
function isHeld(element) {
  const active = document.activeElement;
  if (element.contains(active) && active.matches("input, textarea, select, iframe")) return true;
  if (written(element)) return true;
  const selection = getSelection();
  return !selection.isCollapsed && selection.rangeCount > 0 && element.contains(selection.anchorNode);
}

const FOCUSABLE = "a[href], button, summary, [tabindex]";

// What puts the focus where it was, once the element that had it has been replaced; null if it is elsewhere.
function focused(element) {
  const active = document.activeElement;
  if (!element.contains(active)) return null;
  const at = [...element.querySelectorAll(FOCUSABLE)].indexOf(active);
  return (fresh) => {
    const same = active.id ? document.getElementById(active.id) : [...fresh.querySelectorAll(FOCUSABLE)][at];
    (same ?? fresh.querySelector(FOCUSABLE))?.focus({ preventScroll: true });
  };
}

function say(text, address, label) {
  if (connection.textContent === text + (label ?? "")) return;
  connection.textContent = text;
  if (address) {
    const link = document.createElement("a");
    link.href = address;
    link.textContent = label;
    connection.append(link);
  }
}

for (const piece of pieces(document)) remember(piece);
connect();
