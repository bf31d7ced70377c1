// Hides or shows all code of the chapters; the choice stays in this browser.
(() => {
  const KEY = "clearformer-code";
  const root = document.documentElement;
  const button = document.querySelector(".code-switch");
  const hidden = () => root.getAttribute("data-code") === "hidden";
  const show = () => (button.textContent = hidden() ? "Show the code" : "Hide the code");
  button.addEventListener("click", () => {
    const now = hidden() ? "shown" : "hidden";
    root.setAttribute("data-code", now);
    try {
      localStorage.setItem(KEY, now);
    } catch {
      // A browser that keeps nothing asks again on the next page.
    }
    show();
  });
  show();
  button.style.visibility = "visible";
})();
