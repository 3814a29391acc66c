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
