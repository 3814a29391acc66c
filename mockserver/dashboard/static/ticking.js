// Clocks (`data-now`) go on without asking the server, and lengths of time until a moment (`data-due`) get shorter.

import { announceMove } from "./calls.js";
import { refresh } from "./live.js";

const EVERY_MS = 1000;
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
  let now;
  for (const shown of document.querySelectorAll("time[data-now]")) {
    if (!got.has(shown)) got.set(shown, Date.now());
    if ("frozen" in shown.dataset) return;
    now = Number(shown.dataset.now) + Date.now() - got.get(shown);
    shown.dateTime = `${written(now)}Z`;
    shown.textContent = written(now).replace("T", " ");
  }
  for (const each of document.querySelectorAll("[data-due]")) {
    const left = Number(each.dataset.due) - now;
    each.textContent = left > 0 ? `in ${spoken(left)}` : "now";
  }
}

document.addEventListener("dashboard:shown", tick);
setInterval(tick, EVERY_MS);
tick();

// The button in the header that advances the clock.
document.addEventListener("click", async ({ target }) => {
  const by = target.dataset?.advance;
  if (!by || target.disabled) return;
  target.disabled = true;
  try {
    const path = `${document.body.dataset.root}/_mock/clock/advance`;
    const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ by }) });
    if (answer.ok) announceMove(await answer.json());
  } catch {
    // The page itself says that the server does not answer.
  }
  target.disabled = false;
  refresh();
});
