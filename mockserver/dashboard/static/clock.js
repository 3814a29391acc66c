// The page "Clock": the time goes on without asking the server, and what happened on the way of a move is told.

import { refresh } from "./live.js";

const EVERY_MS = 1000;
// So often a page whose move waits looks what it waits for.
const LOOK_MS = 2000;
const MOST = 100;
const UNITS = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];

// When the page got each time that the server has sent, on the clock of the browser.
const got = new WeakMap();

function spoken(ms) {
  let left = Math.floor(Math.abs(ms) / 1000);
  const numbers = UNITS.map(([unit, seconds]) => {
    const number = Math.floor(left / seconds);
    left -= number * seconds;
    return [number, unit];
  });
  const first = numbers.findIndex(([number]) => number);
  if (first < 0) return "less than 1 s";
  const found = numbers.slice(first, first + 2).filter(([number]) => number);
  return found.map(([number, unit]) => `${number.toLocaleString("en")} ${unit}`).join(" ");
}

function written(ms) {
  return new Date(ms).toISOString().slice(0, 19);
}

function tick() {
  const shown = document.getElementById("clock");
  if (!got.has(shown)) got.set(shown, Date.now());
  if ("frozen" in shown.dataset) return;
  const now = Number(shown.dataset.now) + Date.now() - got.get(shown);
  shown.dateTime = `${written(now)}Z`;
  shown.textContent = written(now).replace("T", " ");
  for (const each of document.querySelectorAll("[data-due]")) {
    const left = Number(each.dataset.due) - now;
    each.textContent = left > 0 ? `in ${spoken(left)}` : "now";
  }
}

document.addEventListener("dashboard:shown", tick);
setInterval(tick, EVERY_MS);
tick();

// ------------------------------------------------------------------ a move

const moved = document.getElementById("moved");
let looking = 0;

function isMove(form) {
  return form.dataset.path.endsWith("/_mock/clock/advance");
}

document.addEventListener("submit", ({ target }) => {
  if (!isMove(target)) return;
  clearInterval(looking);
  looking = setInterval(refresh, LOOK_MS);
});

document.addEventListener("dashboard:answered", ({ target, detail }) => {
  if (!isMove(target)) return;
  clearInterval(looking);
  if (detail.status === 200) tell(detail.body);
});

function tell({ now, fired }) {
  moved.hidden = false;
  const number = fired.length === 1 ? "One thing was due on the way" : `${fired.length} things were due on the way`;
  const left = fired.length > MOST ? `, of which the last ${MOST} stand here` : "";
  moved.querySelector(".told").textContent =
    `The clock shows ${now.slice(0, 19).replace("T", " ")}. ` + (fired.length ? `${number}${left}.` : "Nothing was due on the way.");
  moved.querySelector("ol").replaceChildren(...fired.slice(-MOST).map(row));
}

function row({ at, machine, key, event }) {
  const line = document.createElement("li");
  const time = Object.assign(document.createElement("time"), { dateTime: at, textContent: at.slice(0, 19).replace("T", " ") });
  const link = document.createElement("a");
  link.href = `${document.body.dataset.root}/_mock/ui/machines/${machine}/${encodeURIComponent(key)}`;
  const name = Object.assign(document.createElement("bdi"), { textContent: key });
  link.append(`${machine} `, name);
  line.append(time, ` ${event} of `, link);
  return line;
}
