// Moments: clocks (`data-now`) go on without asking the server, lengths of time until a moment (`data-due`) get shorter,
// and the moments of rows are told as their distance from now, unless somebody wants them exact.

import { announceMove } from "./calls.js";
import { refresh } from "./live.js";

const EVERY_MS = 1000;
const UNITS = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
const exact = document.getElementById("exact");

// When the page got each time that the server has sent, on the clock of the browser.
const got = new WeakMap();

// A length of time, in at most so many units.
export function spoken(ms, most = 2) {
  let left = Math.floor(Math.abs(ms) / 1000);
  const numbers = UNITS.map(([unit, seconds]) => {
    const number = Math.floor(left / seconds);
    left -= number * seconds;
    return [number, unit];
  });
  const first = numbers.findIndex(([number]) => number);
  if (first < 0) return "less than 1 s";
  const found = numbers.slice(first, first + most).filter(([number]) => number);
  return found.map(([number, unit]) => `${number.toLocaleString("en")} ${unit}`).join(" ");
}

// The time until a moment, by the workspace's clock or in real time, in milliseconds.
export function until(moment, isReal = false) {
  const { clock } = document.body.dataset;
  const now = isReal || !clock ? Date.now() : clock.includes("T") ? Date.parse(clock) : Date.now() + Number(clock);
  return Date.parse(moment) - now;
}

function told(time) {
  const left = until(time.dateTime, "real" in time.dataset);
  if (Number.isNaN(left)) return time.textContent;
  return Math.abs(left) < 1000 ? "now" : left > 0 ? `in ${spoken(left, 1)}` : `${spoken(left, 1)} ago`;
}

export function written(ms) {
  return new Date(ms).toISOString().slice(0, 19);
}

function tick() {
  let now;
  for (const shown of document.querySelectorAll("time[data-now]")) {
    if (!got.has(shown)) got.set(shown, Date.now());
    now = Number(shown.dataset.now);
    if ("frozen" in shown.dataset) continue;
    now += Date.now() - got.get(shown);
    shown.dateTime = `${written(now)}Z`;
    write(shown, written(now).replace("T", " "));
  }
  for (const each of document.querySelectorAll("[data-due]")) {
    const left = Number(each.dataset.due) - now;
    write(each, left > 0 ? `in ${spoken(left)}` : "now");
  }
  for (const time of document.querySelectorAll(".row .moment time[title]")) {
    write(time, exact.ariaPressed === "true" ? time.title.slice(0, 19) : told(time));
  }
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

document.addEventListener("pointerover", ({ target }) => {
  const time = target.closest?.("time[datetime][title]");
  if (time) time.title = `${time.title.split(" · ")[0]} · ${told(time)}`;
});

// What the browser keeps under a name, in `localStorage` or `sessionStorage`; it may keep nothing.
export function kept(place, name, value) {
  try {
    if (value !== undefined) window[place].setItem(name, value);
    return window[place].getItem(name) ?? "";
  } catch {
    return "";
  }
}

exact.ariaPressed = String(kept("localStorage", "exact times") === "true");
exact.addEventListener("click", () => {
  exact.ariaPressed = String(exact.ariaPressed !== "true");
  kept("localStorage", "exact times", exact.ariaPressed);
  tick();
});
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
