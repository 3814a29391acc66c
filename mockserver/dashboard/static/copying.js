// Buttons that copy: the text of `data-copy`, or with `data-copy-code` the code beside them.

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy], [data-copy-code]");
  if (!button) return;
  const text = button.dataset.copy ?? button.parentElement.querySelector("code").textContent;
  try {
    await navigator.clipboard.writeText(text);
    say(button, "Copied");
  } catch {
    // Pages that are neither local nor encrypted have no clipboard: the text is selected, to be copied by hand.
    getSelection().selectAllChildren(button.parentElement.querySelector("code") ?? button);
    say(button, "Selected");
  }
});

function say(button, word) {
  button.dataset.label ??= button.textContent;
  button.textContent = word;
  clearTimeout(button.timer);
  button.timer = setTimeout(() => (button.textContent = button.dataset.label), 1500);
}
