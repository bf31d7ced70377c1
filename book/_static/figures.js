// Brings a figure to life when a reader first touches it: loads Vega, draws the figure in the place of the static
// drawing, and connects its controls and its data table. Nothing is fetched from elsewhere.
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
  };

  // The controls that a reader has moved while there was nothing to move yet.
  const moved = (figure) =>
    [...figure.querySelectorAll("[data-signal]")].filter((input) =>
      input.type === "radio" ? input.checked && !input.defaultChecked : input.value !== input.defaultValue,
    );

  const activate = async (figure) => {
    const vega = await loadVega();
    const { spec, table } = JSON.parse(figure.querySelector("script").textContent);
    const view = new vega.View(vega.parse(spec), { renderer: "svg", container: figure.querySelector(".live-view") });
    for (const input of moved(figure)) view.signal(input.dataset.signal, Number(input.value));
    await view.runAsync();
    connect(figure, view, table);
    figure.dataset.live = "yes";
  };

  // What woke the figure may have been meant for a mark in it, as the tap of a finger is.
  const repeat = (event) => {
    if (!(event instanceof PointerEvent)) return;
    document.elementFromPoint(event.clientX, event.clientY)?.dispatchEvent(new PointerEvent(event.type, event));
  };

  const awaitReader = (figure) => {
    const touches = ["pointerover", "pointerdown", "focusin", "input"];
    const wake = (event) => {
      for (const touch of touches) figure.removeEventListener(touch, wake);
      activate(figure).then(() => repeat(event));
    };
    for (const touch of touches) figure.addEventListener(touch, wake);
    figure.querySelector(".live-controls").disabled = false;
  };

  const start = () => document.querySelectorAll(".live-figure").forEach(awaitReader);

  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
