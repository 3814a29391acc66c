// Addresses to copy are those that the server knows. Behind a proxy that puts a prefix before them it knows too little:
// what stands in the bar of this browser is right.

function correct() {
  for (const shown of document.querySelectorAll("[data-addresses]")) {
    const { server, root } = shown.dataset;
    const reached = new URL(`${root}/`, location.href).href.replace(/\/$/, "");
    delete shown.dataset.addresses;
    if (reached === server) continue;
    for (const code of shown.querySelectorAll("code bdi, pre code")) code.textContent = code.textContent.replaceAll(server, reached);
    for (const button of shown.querySelectorAll("[data-copy]")) button.dataset.copy = button.dataset.copy.replaceAll(server, reached);
  }
}

document.addEventListener("dashboard:shown", correct);
correct();
