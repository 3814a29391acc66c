// In a wide window, the page of a row stands beside its list (`data-detail`). The hash of the address names it, so that
// it can be shared, and the browser goes back and forward; in a narrow window it is a page of its own.

import { beside, remember } from "./live.js";

const wide = matchMedia("(min-width: 80rem)");
const home = new URL(`${document.body.dataset.root}/_mock/ui/`, location.href).href;
const files = new URL(".", import.meta.url).href;
const ADDRESSES = ["href", "src", "action", "data-path", "data-then", "data-root"];
const REFERENCES = ["for", "list", "aria-labelledby", "aria-describedby"];

const aside = Object.assign(document.createElement("aside"), { id: "detail", tabIndex: -1, ariaLabel: "Detail" });
const whole = Object.assign(document.createElement("a"), { textContent: "Open as a page" });
const closing = Object.assign(document.createElement("button"), { type: "button", textContent: "Close", title: "Escape" });
const bar = Object.assign(document.createElement("p"), { className: "toolbar" });
bar.append(whole, closing);
let shown = "";

function links() {
  return [...document.querySelectorAll("[data-detail] .to")];
}

// The address that the hash names; empty if it is no page of this workspace's dashboard.
function named() {
  if (!location.hash.startsWith("#/") || !document.querySelector("[data-detail]")) return "";
  const { href } = new URL(location.hash.slice(2), home);
  return href.startsWith(home) ? href : "";
}

// A page of the dashboard with addresses that hold on this page, too; null if it is none, or the way leads elsewhere.
export async function read(address) {
  const answer = await fetch(address, { headers: { Accept: "text/html" }, cache: "no-store" }).catch(() => null);
  if (!answer || answer.redirected || !answer.headers.get("Content-Type")?.startsWith("text/html")) return null;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const name of ADDRESSES) {
    for (const each of page.querySelectorAll(`[${name}^="."], [${name}^="?"]`)) {
      each.setAttribute(name, each.getAttribute(name).replace(/^(\.\.\/?)+|^\?.*/, (way) => {
        const { href } = new URL(way, answer.url);
        return /[/?]/.test(way.at(-1)) || way[0] === "?" ? href : href.replace(/\/$/, "");
      }));
    }
  }
  return page;
}

// The page beside the list, whose ids differ from those of the list.
async function load() {
  const address = shown;
  const page = await read(address);
  if (address !== shown) return null;
  const taken = [...(page?.querySelectorAll("main [id]") ?? [])].filter(({ id }) =>
    [...document.querySelectorAll(`#${CSS.escape(id)}`)].some((each) => !aside.contains(each)));
  for (const each of taken) {
    for (const name of REFERENCES) page.querySelectorAll(`[${name}="${CSS.escape(each.id)}"]`).forEach((one) => one.setAttribute(name, `detail-${each.id}`));
    each.id = `detail-${each.id}`;
  }
  return page;
}

async function follow() {
  const address = named();
  if (address === shown) return;
  if (address && !wide.matches) return location.replace(address);
  shown = address;
  mark();
  if (!address) return leave();
  const page = await load();
  if (!page) return shown === address && location.replace(address);
  // What is clicked at once is theirs already.
  for (const script of page.querySelectorAll("head script[src]")) {
    if (script.getAttribute("src").startsWith(files)) await import(script.getAttribute("src"));
  }
  if (shown !== address) return;
  whole.href = address;
  aside.replaceChildren(bar, ...page.getElementById("main").childNodes);
  aside.querySelectorAll("[data-live][id]").forEach(remember);
  document.getElementById("main").after(aside);
  aside.scrollTo(0, 0);
  Object.assign(beside, { element: aside, load });
  document.dispatchEvent(new CustomEvent("dashboard:shown"));
}

function leave() {
  aside.remove();
  Object.assign(beside, { element: null, load: null });
}

async function open(hash) {
  history.pushState(null, "", hash || location.pathname + location.search);
  await follow();
}

function close() {
  const link = links().find(({ href }) => href === shown);
  open("");
  link?.focus({ preventScroll: true });
}

function mark() {
  for (const link of links()) {
    const row = link.closest(".row");
    if (shown && link.href === shown) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
}

document.addEventListener("click", async (event) => {
  const { target } = event;
  if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (target === closing) return close();
  const link = target.closest?.("[data-detail] .to, #detail a:is([rel], [href^='#'])");
  const part = link?.getAttribute("href");
  if (!link || !wide.matches || !(part[0] === "#" || link.href.startsWith(home))) return;
  event.preventDefault();
  if (part[0] === "#") return aside.querySelector(`${part}, #detail-${part.slice(1)}`)?.scrollIntoView();
  await open(`#/${link.href.slice(home.length)}`);
  // Who has come by the keyboard goes on there.
  if (!event.detail) aside.focus({ preventScroll: true });
});

// Go to the row before or after the present one, and show it beside the list where there is room.
export function step(by) {
  const all = links();
  const at = all.findIndex((link) => link.closest(".row").contains(document.activeElement));
  const next = all[(at < 0 ? all.findIndex(({ href }) => href === shown) : at) + by];
  if (!next) return;
  next.focus();
  if (wide.matches && next.href.startsWith(home)) open(`#/${next.href.slice(home.length)}`);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && shown && !event.defaultPrevented && !event.target.closest("dialog, .switcher")) close();
});
document.addEventListener("dashboard:shown", mark);
addEventListener("popstate", follow);
follow();
