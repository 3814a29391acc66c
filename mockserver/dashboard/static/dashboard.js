// What every page of the dashboard does.
import "./live.js";
import "./calls.js";
import "./copying.js";
import "./ticking.js";
import "./switching.js";
import "./times.js";

// Filters fold where they would push the list off a small screen.
const narrow = matchMedia("(max-width: 52rem)");
const fold = () => document.querySelectorAll("[data-fold=narrow]").forEach((filter) => (filter.open = !narrow.matches));
narrow.addEventListener("change", fold);
fold();
