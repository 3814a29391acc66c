// Open the event to which a link leads.
const show = () => {
  const event = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (event?.matches(".trace > li")) {
    event.firstElementChild.open = true;
    event.scrollIntoView();
  }
};
addEventListener("hashchange", show);
show();
