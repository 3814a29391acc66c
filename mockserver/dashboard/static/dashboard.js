// What every page of the dashboard does.
import "./live.js";
import "./calls.js";
import "./copying.js";
import "./switching.js";
import "./times.js";
import { step } from "./detail.js";

// Keys, unless somebody types.
const KEYS = {
  "/": () => document.getElementById("search").select(),
  "?": () => document.getElementById("keys").showModal(),
  j: () => step(1),
  k: () => step(-1),
};
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.matches("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]");
  if (!KEYS[event.key] || isTyping || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  KEYS[event.key]();
});

// Where the navigation scrolls sideways, the present page is in view.
document.querySelector("nav [aria-current=page]")?.scrollIntoView({ block: "nearest", inline: "center" });

// After a search, the first stop of the keyboard is the first result.
document.querySelector("main[data-focus]")?.focus({ preventScroll: true });

// Filters fold where they would push the list off a small screen.
const narrow = matchMedia("(max-width: 52rem)");
const fold = () => document.querySelectorAll("[data-fold=narrow]").forEach((filter) => (filter.open = !narrow.matches));
narrow.addEventListener("change", fold);
fold();
