// Filters the ledger by document, verdict, topic and words. The choice stands in the address, so it can be sent to others.
(() => {
  const VERDICTS = ["holds", "corrected", "depends"];
  const place = document.querySelector("#claims-filter");
  const sections = [...document.querySelectorAll("section")].filter((one) => one.querySelector(":scope > .tag_ledger"));
  const rows = sections.flatMap((section) =>
    [...section.querySelectorAll("tbody tr")].map((row) => ({
      row,
      section,
      topic: section.id,
      document: row.className.match(/document-(\w+)/)[1],
      verdict: row.className.match(/verdict-(\w+)/)[1],
      words: row.textContent.toLowerCase(),
    })),
  );

  const option = (value, text) => Object.assign(document.createElement("option"), { value, textContent: text });
  const field = (name, label, options) => {
    const box = document.createElement("label");
    const input = document.createElement(options ? "select" : "input");
    input.name = name;
    input.autocomplete = "off";
    if (options) input.append(option("", "all"), ...options.map(([value, text]) => option(value, text)));
    else input.type = "search";
    box.append(`${label} `, input);
    return box;
  };
  const title = (section) => section.querySelector("h2").firstChild.textContent;
  const documents = [...new Set(rows.map((one) => one.document))].sort();

  const form = document.createElement("form");
  form.className = "claims-form";
  form.setAttribute("role", "search");
  form.setAttribute("aria-label", "Filter the claims");
  const count = document.createElement("output");
  const clear = Object.assign(document.createElement("button"), { type: "button", textContent: "Show all" });
  form.append(
    field("document", "Document", documents.map((name) => [name, name])),
    field("verdict", "Verdict", VERDICTS.map((name) => [name, name])),
    field("topic", "Topic", sections.map((section) => [section.id, title(section)])),
    field("words", "Words"),
    clear,
    count,
  );

  const chosen = () => Object.fromEntries([...new FormData(form)].filter(([, value]) => value.trim() !== ""));
  const show = () => {
    const { words = "", ...exact } = chosen();
    const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
    const left = new Set();
    let shown = 0;
    for (const one of rows) {
      const fits =
        Object.entries(exact).every(([name, value]) => one[name] === value) && parts.every((part) => one.words.includes(part));
      one.row.hidden = !fits;
      if (fits) left.add(one.section);
      shown += fits;
    }
    for (const section of sections) section.hidden = !left.has(section);
    count.value = `${shown} of ${rows.length} claims`;
  };
  const remember = () => {
    const query = new URLSearchParams(chosen()).toString();
    history.replaceState(null, "", `${location.pathname}${query && `?${query}`}${location.hash}`);
  };
  const read = () => {
    for (const [name, value] of new URLSearchParams(location.search)) {
      if (form.elements[name]) form.elements[name].value = value;
    }
    show();
  };

  // To write the address takes longer than to choose the rows, so the picture comes first.
  const choose = () => (show(), requestAnimationFrame(() => setTimeout(remember)));
  form.addEventListener("input", choose);
  form.addEventListener("submit", (event) => event.preventDefault());
  clear.addEventListener("click", () => (form.reset(), choose()));
  // A row that somebody linked to must be seen, whatever is chosen.
  addEventListener("hashchange", () => {
    if (document.getElementById(location.hash.slice(1))?.closest("[hidden]")) clear.click();
  });
  place.append(form);
  read();
})();
