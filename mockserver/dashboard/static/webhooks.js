// Says which deliveries an event or a mail has made, each with a link.

// So many are listed; the rest is counted.
const MOST = 50;

document.addEventListener("dashboard:answered", ({ target, detail: { status, body } }) => {
  const place = target.parentElement.querySelector(".made");
  if (!place || status >= 300) return;
  const made = body.items ?? body.deliveries;
  const said = document.createElement("p");
  said.textContent = made.length
    ? `It made ${made.length === 1 ? "one delivery" : `${made.length} deliveries`}:`
    : "No webhook listens to that, so nothing is sent.";
  const list = document.createElement("ul");
  for (const delivery of made.slice(0, MOST)) list.append(line(delivery));
  place.replaceChildren(said, ...(made.length ? [list] : []));
  if (made.length > MOST) place.append(`and ${made.length - MOST} more`);
});

function line({ id, event, webhook, next_at: next }) {
  const link = document.createElement("a");
  link.href = `${document.body.dataset.root}/_mock/ui/webhooks/${id}`;
  link.textContent = `${id} ${[event].flat().slice(0, 3).join(", ")}`;
  const row = document.createElement("li");
  row.append(link, ` to webhook ${webhook}`, next ? `, at ${next.replace("T", " ").replace("Z", "")}` : ", now");
  return row;
}
