// What the answer to a control call means, for a person. A text that stands between two others names the thing.

import { spoken, until } from "./times.js";

export function counted(number, word) {
  return `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
}

const EFFECTS = [
  [/^POST .*\/faults$/, rule],
  [/^POST .*\/redeliver$/, attempt],
  [/^POST .*\/clock\/advance$/, ({ now, fired }) => [`${shown(now)}: `, `${counted(fired.length, "timer")} fired`]],
  [/^PUT .*\/clock$/, ({ now, frozen }) => `The clock ${frozen ? "is frozen" : "runs"} at ${shown(now)}`],
  [/^POST .*\/snapshots$/, ({ name }) => ["Snapshot ", name, " taken"]],
  [/^POST .*\/snapshots\/(.+)\/restore$/, (_, name) => `Snapshot ${name} restored`],
  [/^POST .*\/reset$/, ({ name, scenario }) => `Workspace ${name} reset${scenario ? ` to ${scenario}` : ""}`],
  [/^POST .*\/workspaces$/, ({ name }) => ["Workspace ", name, " made"]],
  [/^POST .*\/requests\/[^/]+\/answer$/, () => "The client gets its answer"],
  [/^POST .*\/(trigger|inbound)$/, ({ items, deliveries }) => `${counted((items ?? deliveries ?? []).length, "webhook call")} made`],
  [/^POST .*\/machines\/([^/]+)\/[^/]+\/[^/]+$/, ({ state, key }, machine) => state && `${machine.replaceAll("_", " ")} ${key}: ${state}`],
  [/^PUT .*\/receivers\/(.+)$/, ({ answers }, name) => `Receiver ${name} answers ${answers.reset ? "with a reset" : answers.status}`],
  [/^PUT .*\/dns\/(.+)$/, (_, name) => `Records of ${name} set`],
  [/^DELETE .*\/faults$/, () => "All rules removed"],
  [/^DELETE .*\/faults\/(.+)$/, (_, name) => `Rule ${name} removed`],
  [/^DELETE .*\/mailbox$/, () => "All mails deleted"],
  [/^DELETE .*\/mailbox\/.+$/, () => "Mail deleted"],
  [/^DELETE .*\/receivers\/(.+)$/, (_, name) => `Receiver ${name} reset`],
  [/^DELETE .*\/coverage/, () => "Coverage reset"],
  [/^DELETE .*\/(\w+?)s?\/([^/]+)$/, (_, kind, name) => `${kind[0].toUpperCase()}${kind.slice(1)} ${name} deleted`],
];

// The effect of a call, as [before, name of the thing, after], and whether it needs a look.
export function effectOf(form, method, path, found) {
  const { told } = form.dataset;
  const [pattern, say] = EFFECTS.find(([each]) => each.test(`${method} ${path}`)) ?? [];
  const names = pattern?.exec(`${method} ${path}`).slice(1).map(decodeURIComponent) ?? [];
  const text = told ? told.replace(/\{(\w+)\}/g, (_, name) => found?.[name] ?? "") : say?.(found, ...names, form);
  const isBad = Boolean(found?.attempts?.length && !(found.attempts.at(-1).status < 300));
  return { parts: [text || "Done."].flat(), isBad };
}

function shown(moment) {
  return moment.slice(0, 19).replace("T", " ");
}

function rule({ fault, match, times }, form) {
  const says = form.querySelector(`option[value="${CSS.escape(fault)}"]`)?.dataset.says ?? "";
  const status = / is (\d{3})/.exec(says)?.[1];
  const which = times === 1 ? "the next" : times ? `the next ${times}` : "each";
  return ["Rule added: ", `${which} ${match?.operation ?? "request"} ${status ? `answers ${status}` : `meets ${fault}`}`];
}

function attempt({ id, attempts, attempts_evicted: evicted, next_at: next, in_flight: isRunning }) {
  if (!attempts?.length || isRunning) return `Delivery ${id} is under way`;
  const { status, error } = attempts.at(-1);
  const then = next ? `, next ${until(next) > 0 ? `in ${spoken(until(next))}` : "now"}` : "";
  return `Attempt ${attempts.length + (evicted ?? 0)}: ${status ?? error ?? "no answer"}${then}`;
}
