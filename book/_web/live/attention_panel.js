// The map of one attention head: sliders choose layer, head and query, a table below gives the query's weights.
(() => {
  const { drawAttention, make, opacity, pointedAt } = globalThis.clearformer;

  class AttentionPanel {
    // look.words: the tokens for the eye; look.attention(layer, head, query): a number for each key that may be seen;
    // look.shown(weights, query) is called with what is shown, whenever it changes; look.first is the number that the
    // first layer and the first head are given, 0 where it is left out.
    constructor(widget, look) {
      Object.assign(this, { widget, look, part: widget.part });
      const map = this.part("map");
      const on = (name, type, action) => this.part(name).addEventListener(type, action);
      for (const name of ["layer", "head", "query"]) on(name, "input", () => this.show());
      on("numbers", "toggle", () => this.showWeights());
      on("map", "click", (event) => this.ask(this.pointed(event)?.query));
      on("map", "pointermove", (event) => this.point(event));
      on("map", "pointerleave", () => (this.part("pointed").textContent = ""));
      new ResizeObserver(() => this.draw()).observe(map);
      new MutationObserver(() => this.draw()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    }

    // The layer, the head and the query that the sliders stand at.
    get place() {
      return ["layer", "head", "query"].map((name) => Number(this.part(name).value));
    }

    get row() {
      const [layer, head] = this.place;
      return (query) => this.look.attention(layer, head, query);
    }

    // Other tokens: the query is the last one.
    reset() {
      const query = this.part("query");
      query.max = Math.max(this.look.words().length - 1, 0);
      query.value = query.max;
      this.show();
    }

    ask(query) {
      if (query === undefined) return;
      this.part("query").value = query;
      this.show();
    }

    show() {
      const words = this.look.words();
      const [layer, head, query] = this.place;
      const numbers = [layer, head].map((value) => value + (this.look.first ?? 0));
      ["layer", "head"].forEach((name, i) => this.widget.say(name, String(numbers[i])));
      this.widget.say("query", words.length ? `${query}: ${words[query]}` : "none");
      const weights = words.length ? [...this.row(query)] : [];
      this.look.shown(weights, query);
      const most = weights.indexOf(Math.max(...weights));
      const what = `Attention map of layer ${numbers[0]}, head ${numbers[1]}, for ${words.length} tokens.`;
      const looks = `Token ${query}, ${words[query]}, looks most at token ${most}, ${words[most]}.`;
      this.part("map").setAttribute("aria-label", words.length ? `${what} ${looks}` : what);
      this.draw();
      this.showWeights();
    }

    // The table follows only where it can be seen.
    showWeights() {
      const words = this.look.words();
      if (!this.part("numbers").open || !words.length) return;
      this.part("weights").tBodies[0].replaceChildren(...weightRows(this.row(this.place[2]), words));
    }

    draw() {
      drawAttention(this.part("map"), this.row, this.look.words(), this.place[2]);
    }

    pointed(event) {
      return pointedAt(event.target, event, this.look.words().length, this.row);
    }

    point(event) {
      const words = this.look.words();
      const at = this.pointed(event);
      const weight = at && this.row(at.query)[at.key].toFixed(3);
      this.part("pointed").textContent = at ? `${words[at.query]} → ${words[at.key]}: ${weight}` : "";
    }
  }

  // Rows of a table of weights: position, key, weight.
  const weightRows = (weights, words) =>
    Array.from(weights, (weight, key) =>
      make(
        "tr",
        {},
        make("td", {}, String(key)),
        make("th", { scope: "row" }, words[key]),
        make("td", {}, weight.toFixed(3)),
      ),
    );

  // Colour a list of tokens by how much the query looks at each, and frame the query.
  const shadeTokens = (list, weights, query) => {
    [...list.children].forEach((item, t) => {
      item.style.setProperty("--shade", opacity(weights[t] ?? 0));
      item.classList.toggle("lm-asked", t === query);
    });
  };

  Object.assign(globalThis.clearformer, { AttentionPanel, shadeTokens, weightRows });
})();
