// The page "Clock": tells what happened on the way of a move.

import { refresh } from "./live.js";

// So often a page whose move waits looks what it waits for.
const LOOK_MS = 2000;
const MOST = 100;

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
  const left = fired.length > MOST ? `, of which the last ${MOST} are shown here` : "";
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

// ------------------------------------------------------------------ what a move would fire

const MOVE = "form[data-path$='/_mock/clock/advance']";
let chosen = "";
let typing = 0;

// The page itself tells it, for the length in its query.
async function preview() {
  if (!chosen) return;
  const by = chosen;
  try {
    const answer = await fetch(`?by=${encodeURIComponent(by)}`);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("preview");
    if (fresh && by === chosen) document.getElementById("preview").replaceChildren(...fresh.childNodes);
  } catch {
    // The next one may be answered.
  }
}

function choose({ target }) {
  const by = target.closest?.(MOVE)?.elements.by?.value;
  if (!by || by === chosen) return;
  chosen = by;
  clearTimeout(typing);
  typing = setTimeout(preview, 150);
}

for (const kind of ["input", "focusin", "pointerover"]) document.addEventListener(kind, choose);
document.addEventListener("dashboard:shown", preview);
