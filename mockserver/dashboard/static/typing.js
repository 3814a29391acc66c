// What somebody has typed into a page, and has not sent.

// Whether a field below an element differs from what the server has sent.
export function written(element) {
  return [...element.querySelectorAll("input, textarea, select")].some(differs);
}

export function differs(field) {
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field instanceof HTMLSelectElement) {
    const chosen = [...field.options].findIndex((option) => option.defaultSelected);
    return field.options.length > 0 && field.selectedIndex !== Math.max(chosen, 0);
  }
  return field.type !== "hidden" && field.value !== field.defaultValue;
}
