// The tour of the drawing on the landing page: pointing at a box, or reaching it by keyboard, shows what it computes.
const panel = document.querySelector(".tour-panel");
const boxes = document.querySelectorAll(".tag_tour a.part");
const hint = document.createElement("p");
hint.className = "tour-hint";
hint.append(...panel.firstElementChild.childNodes);
const show = (box) => {
  const part = document.querySelector(`.tour-${box.dataset.part}`);
  panel.replaceChildren(...part.cloneNode(true).children, hint);
  for (const other of boxes) other.classList.toggle("lit", other.dataset.part === box.dataset.part);
};
panel.setAttribute("aria-live", "polite");
for (const box of boxes) for (const kind of ["pointerenter", "focus"]) box.addEventListener(kind, () => show(box));
show(document.querySelector(".tag_tour a.part.lit"));
