// The map of the chapters: draws what each one needs, says it in words, and marks what the reader has read.
(() => {
  const map = document.querySelector(".chapter-map");
  const needs = JSON.parse(map.querySelector("script").textContent);
  const links = new Map([...map.querySelectorAll("a[data-chapter]")].map((link) => [link.dataset.chapter, link]));
  const told = map.querySelector(".map-told");
  const title = (name) => links.get(name).firstChild.textContent;
  const gives = (name) => Object.keys(needs).filter((other) => needs[other].includes(name));

  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "map-lines");
  svg.setAttribute("aria-hidden", "true");
  map.prepend(svg);
  const lines = Object.entries(needs).flatMap(([to, all]) =>
    all.map((from) => {
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      svg.append(path);
      return { from, to, path };
    }),
  );

  const draw = () => {
    const frame = map.getBoundingClientRect();
    const boxes = new Map([...links].map(([name, link]) => [name, link.getBoundingClientRect()]));
    for (const { from, to, path } of lines) {
      const [a, b] = [boxes.get(from), boxes.get(to)];
      const below = b.top > a.bottom;
      const x1 = a.left + a.width / 2 - frame.left;
      const x2 = b.left + b.width / 2 - frame.left;
      const y1 = (below ? a.bottom : a.top + a.height / 2) - frame.top;
      const y2 = (below ? b.top : b.top + b.height / 2) - frame.top;
      const bend = below ? (y2 - y1) / 2 : 0;
      path.setAttribute("d", `M${x1},${y1}C${x1},${y1 + bend} ${x2},${y2 - bend} ${x2},${y2}`);
    }
  };

  const list = (names) => (names.length ? names.map(title).join(", ") : "no other chapter");
  const ask = (name) => {
    for (const [other, link] of links) {
      link.classList.toggle("map-needed", needs[name].includes(other));
      link.classList.toggle("map-given", needs[other].includes(name));
    }
    for (const { from, to, path } of lines) path.classList.toggle("map-on", from === name || to === name);
    told.textContent = `${title(name)} needs ${list(needs[name])}. It is needed by ${list(gives(name))}.`;
  };
  for (const [name, link] of links) {
    link.addEventListener("pointerenter", () => ask(name));
    link.addEventListener("focus", () => ask(name));
  }

  // What was read stays in this browser, if it lets a page keep anything, and only while the reader wants it.
  const KEY = "clearformer-read";
  const kept = () => {
    try {
      return JSON.parse(localStorage.getItem(KEY) ?? "[]");
    } catch {
      return [];
    }
  };
  const switchBox = document.createElement("p");
  switchBox.className = "map-progress";
  switchBox.innerHTML = '<label><input type="checkbox" autocomplete="off">Keep in this browser what I have read</label> <output></output>';
  const input = switchBox.querySelector("input");
  const show = () => {
    const read = kept();
    input.checked = read !== "no";
    for (const [name, link] of links) link.classList.toggle("map-read", input.checked && read.includes(name));
    const count = input.checked ? read.filter((name) => links.has(name)).length : 0;
    switchBox.querySelector("output").value = count ? `${count} of ${links.size} chapters read` : "";
  };
  input.addEventListener("change", () => {
    try {
      localStorage.setItem(KEY, JSON.stringify(input.checked ? [] : "no"));
    } catch {
      // Without storage there is nothing to forget.
    }
    show();
  });
  map.append(switchBox);
  show();
  new ResizeObserver(draw).observe(map);
})();
