// Shows the definition of a term beside it, on hover and on focus; Escape hides it.
(() => {
  const box = Object.assign(document.createElement("div"), { id: "term-definition", className: "term-box", hidden: true });
  box.setAttribute("role", "tooltip");
  const hide = () => (box.hidden = true);
  const show = (link) => {
    box.textContent = link.dataset.definition;
    box.hidden = false;
    const place = link.getBoundingClientRect();
    const left = Math.min(place.left, document.documentElement.clientWidth - box.offsetWidth - 8);
    box.style.left = `${Math.max(8, left) + scrollX}px`;
    box.style.top = `${place.bottom + 4 + scrollY}px`;
  };
  for (const link of document.querySelectorAll("a.term")) {
    // The browser would show its own box as well, and to the mouse only.
    link.dataset.definition = link.title;
    link.removeAttribute("title");
    link.setAttribute("aria-describedby", box.id);
    for (const event of ["pointerenter", "focus"]) link.addEventListener(event, () => show(link));
    for (const event of ["pointerleave", "blur"]) link.addEventListener(event, hide);
  }
  addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.body.append(box);
})();
