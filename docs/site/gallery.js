// `make pages` alone makes no scenes: without its picture a scene is left out.
for (const picture of document.querySelectorAll(".play img")) {
  const leaveOut = () => (picture.closest(".play").style.display = "none");
  if (picture.complete && !picture.naturalWidth) leaveOut();
  picture.addEventListener("error", leaveOut);
}

// A scene is loaded when it is asked for: a page with a dozen of them would need a dozen graphics contexts.
document.addEventListener("click", (event) => {
  const button = event.target.closest(".play button");
  if (!button) return;
  const figure = button.closest(".play");
  const frame = document.createElement("iframe");
  frame.src = `${figure.dataset.page}#play`;
  frame.title = button.getAttribute("aria-label");
  frame.allow = "fullscreen";
  figure.replaceChildren(frame);
  figure.scrollIntoView({ block: "center" }); // it may have moved to a row of its own
});
