// Says in the title of a moment how long ago it was, by the workspace's clock, when somebody points at it.

const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

function since(seconds) {
  const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? UNITS.at(-1);
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(Math.trunc(seconds / length), unit);
}

function now(isReal) {
  const { clock } = document.body.dataset;
  if (isReal || !clock) return Date.now();
  return clock.includes("T") ? Date.parse(clock) : Date.now() + Number(clock);
}

document.addEventListener("pointerover", (event) => {
  const time = event.target.closest?.("time[datetime][title]");
  if (!time) return;
  const left = (Date.parse(time.dateTime) - now("real" in time.dataset)) / 1000;
  if (!Number.isNaN(left)) time.title = `${time.title.split(" · ")[0]} · ${since(left)}`;
});
