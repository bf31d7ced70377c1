// Draws lines between two lists of words, as opaque as the weights, and those of one word as wide: side by side where
// the lists are too wide.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const FAINT = 0.005; // smaller weights would not be seen
  const THIN = 1.5;
  const WIDEST = 8; // a line of the word chosen, for a weight of 1

  // stage holds the list of source words, an <svg> and the list of target words; weights(t) gives a number for each
  // source word, and the lines of the word chosen stand out.
  const drawLines = (stage, [source, svg, target], weights, chosen) => {
    stage.classList.remove("lm-columns");
    const upright = [source, target].some((list) => list.scrollWidth > list.clientWidth);
    stage.classList.toggle("lm-columns", upright);
    const frame = svg.getBoundingClientRect();
    const end = (item, from) => {
      const box = item.getBoundingClientRect();
      if (upright) return [from ? 0 : frame.width, box.top + box.height / 2 - frame.top];
      return [box.left + box.width / 2 - frame.left, from ? 0 : frame.height];
    };
    const ends = Array.from(source.children, (item) => end(item, true));
    const lines = Array.from(target.children, (item, t) => {
      const [x2, y2] = end(item, false);
      const group = document.createElementNS(SVG, "g");
      group.setAttribute("class", t === chosen ? "lm-asked" : "");
      const width = (weight) => (t === chosen ? Math.max(THIN, WIDEST * weight) : THIN);
      weights(t).forEach((w, s) => w >= FAINT && group.append(line(ends[s], [x2, y2], w, width(w))));
      return group;
    });
    // Last, so that they lie above the others.
    svg.replaceChildren(...lines.filter((_, t) => t !== chosen), ...lines.filter((_, t) => t === chosen));
  };

  const line = ([x1, y1], [x2, y2], weight, width) => {
    const drawn = document.createElementNS(SVG, "line");
    const numbers = { x1, y1, x2, y2, "stroke-opacity": weight, "stroke-width": width };
    for (const [name, value] of Object.entries(numbers)) drawn.setAttribute(name, value);
    return drawn;
  };

  Object.assign((globalThis.clearformer ??= {}), { drawLines });
})();
