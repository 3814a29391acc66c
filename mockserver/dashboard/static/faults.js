// The form for a rule offers only what the chosen operation can give, and what the chosen fault takes.

const form = document.getElementById("add-rule");
const operation = document.getElementById("operation");
const fault = document.getElementById("fault");
const code = form.elements.code;
const spread = form.elements["distribution.type"];

function words(text) {
  return text ? text.split(" ") : [];
}

// Options that are not offered can be chosen neither by mouse nor by key; a choice that is gone gives way to the first.
function offer(select, isOffered) {
  for (const option of select.options) option.hidden = option.disabled = !isOffered(option);
  if (select.selectedOptions[0]?.disabled) select.value = [...select.options].find((option) => !option.disabled)?.value ?? "";
}

function show(label, isShown) {
  label.hidden = !isShown;
  for (const field of label.querySelectorAll("input, select, textarea")) field.disabled = !isShown;
}

function fit() {
  const wanted = operation.value;
  const codes = wanted ? new Set(words(operation.selectedOptions[0].dataset.codes)) : null;
  offer(fault, ({ dataset }) => !wanted || dataset.operations === undefined || words(dataset.operations).includes(wanted));
  offer(code, ({ index }) => !codes || codes.has(String(index)));
  const { says, parameters } = fault.selectedOptions[0].dataset;
  const note = document.getElementById("says");
  if (note.textContent !== says) note.textContent = says;
  const taken = words(parameters);
  for (const label of form.querySelectorAll("[data-parameter]")) {
    const isSpread = label.dataset.spread === undefined || !taken.includes("distribution") || label.dataset.spread === spread.value;
    show(label, taken.includes(label.dataset.parameter) && isSpread);
  }
  for (const label of form.querySelectorAll("[data-path-of]")) {
    const having = label.dataset.pathOf;
    show(label, having ? words(having).includes(wanted) : !wanted);
  }
}

// The form is fitted before it is written as curl, which happens further up in the page.
form.addEventListener("input", fit);
// Not everything that chooses for a person tells of input as well as of change.
form.addEventListener("change", ({ target }) => target.dispatchEvent(new Event("input", { bubbles: true })));
form.addEventListener("reset", () => setTimeout(fit));
fit();
fault.dispatchEvent(new Event("input", { bubbles: true }));
