// Brings the figures of a page to life: loads Vega when a figure comes near the window, draws it in the place of the
// static drawing, and connects its controls and its data table. Nothing is fetched from elsewhere.
(() => {
  const vegaUrl = new URL("../libs/vega/vega.min.js", document.currentScript.src).href;
  let vegaReady;

  const loadVega = () =>
    (vegaReady ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = vegaUrl;
      script.onload = () => resolve(window.vega);
      script.onerror = () => reject(new Error(`cannot load ${vegaUrl}`));
      document.head.append(script);
    }));

  const digits = (value) => (Number.isInteger(value) || typeof value === "string" ? String(value) : value.toFixed(3));

  // As in the page without scripts: words as they are, numbers with three decimals.
  const cellText = (value) => (typeof value === "string" ? value : value.toFixed(3));

  const connect = (figure, view, table) => {
    const inputs = [...figure.querySelectorAll("[data-signal]")];
    const refresh = () => {
      for (const input of inputs) {
        const value = view.signal(input.dataset.signal);
        if (input.type === "radio") input.checked = Number(input.value) === value;
        else input.value = value;
        const output = input.parentElement.querySelector("[data-output]");
        if (!output) continue;
        output.value = digits(view.signal(output.dataset.output));
        input.setAttribute("aria-valuetext", output.value);
      }
      if (!table.data) return;
      const fields = [table.value].flat();
      const rows = [...view.data(table.data)];
      if (table.sort) rows.sort((a, b) => a[table.sort] - b[table.sort]);
      const numbers = rows.flatMap((row) => fields.map((field) => row[field]));
      figure.querySelectorAll("td").forEach((cell, i) => (cell.textContent = cellText(numbers[i])));
    };
    for (const input of inputs) {
      input.addEventListener("input", () => view.signal(input.dataset.signal, Number(input.value)).runAsync().then(refresh));
    }
    view.addEventListener("pointerover", () => view.runAsync().then(refresh));
    refresh();
    figure.querySelector(".live-controls").disabled = false;
  };

  const activate = async (figure) => {
    const vega = await loadVega();
    const { spec, table } = JSON.parse(figure.querySelector("script").textContent);
    const view = new vega.View(vega.parse(spec), { renderer: "svg", container: figure.querySelector(".live-view") });
    await view.runAsync();
    connect(figure, view, table);
    figure.dataset.live = "yes";
  };

  const start = () => {
    const watch = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) {
          if (!isIntersecting) continue;
          watch.unobserve(target);
          activate(target);
        }
      },
      { rootMargin: "400px" },
    );
    document.querySelectorAll(".live-figure").forEach((figure) => watch.observe(figure));
  };

  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
