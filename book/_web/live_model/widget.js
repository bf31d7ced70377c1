// Connects a live model's page elements with a session: what the reader types is read, what follows is shown.
(() => {
  const { Session, drawAttention, opacity, pointedAt } = globalThis.clearformer;
  const SHOWN = 12; // rows of the table of next tokens
  const SLICE = 30; // milliseconds of computing between two drawings

  const loadWeights = (url, key) =>
    new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = url;
      script.onload = () => resolve(globalThis.clearformerModels[key]);
      script.onerror = () => reject(new Error(`cannot load ${url}`));
      document.head.append(script);
    });

  const make = (tag, attributes = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...children);
    return element;
  };

  class Widget {
    constructor(root) {
      this.root = root;
      this.part = (name) => root.querySelector(`.lm-${name}`);
      this.run = null; // what is being generated, if anything
      this.part("start").disabled = false;
      this.part("start").addEventListener("click", () => this.start());
    }

    async start() {
      if (this.session) return;
      this.part("loading").textContent = "Loading the weights …";
      try {
        this.session = new Session(await loadWeights(this.root.dataset.weights, this.root.dataset.key));
      } catch (error) {
        this.part("loading").textContent = `The model does not run: ${error.message}.`;
        return;
      }
      this.part("still").hidden = true;
      this.part("live").hidden = false;
      this.listen();
      this.reset();
      this.root.dataset.live = "yes";
      this.part("text").focus();
      this.generate(); // what stood there before is written once more, by this browser
    }

    listen() {
      const on = (name, type, action) => this.part(name).addEventListener(type, action);
      on("text", "input", () => this.reset());
      on("seed", "input", () => this.restart());
      on("generate", "click", () => (this.run ? this.stop() : this.generate()));
      on("one", "click", () => this.one());
      on("reset", "click", () => this.restart());
      for (const button of this.root.querySelectorAll(".lm-prompt")) {
        button.addEventListener("click", () => {
          this.part("text").value = button.textContent;
          this.reset();
        });
      }
      for (const name of ["tau", "k", "p"]) on(name, "input", () => this.choose());
      for (const name of ["layer", "head", "query"]) on(name, "input", () => this.showAttention());
      on("tokens", "click", (event) => this.ask(event.target.closest("li")?.dataset.query));
      on("numbers", "toggle", () => this.showWeights());
      on("map", "click", (event) => this.ask(pointedAt(event.target, event, this.session.read.length)?.query));
      on("map", "pointermove", (event) => this.point(event));
      on("map", "pointerleave", () => (this.part("pointed").textContent = ""));
      new ResizeObserver(() => this.drawMap()).observe(this.part("map"));
      new MutationObserver(() => this.drawMap()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    }

    get seed() {
      return Number(this.part("seed").value) || 0;
    }

    // The reader has changed the text.
    reset() {
      this.stop();
      this.session.reset(this.part("text").value, this.seed);
      this.choose();
      this.show("");
    }

    // The same text again, nothing generated.
    restart() {
      this.stop();
      this.session.restart(this.seed);
      this.show("");
    }

    // The sliders of the next token have moved.
    choose() {
      const k = this.part("k");
      const { settings } = this.session;
      settings.tau = Number(this.part("tau").value);
      settings.k = JSON.parse(k.dataset.stops)[Number(k.value)];
      settings.p = Number(this.part("p").value);
      this.say("tau", settings.tau.toFixed(2));
      this.say("k", settings.k === this.session.decoder.vocab_size ? `all ${settings.k}` : String(settings.k));
      this.say("p", settings.p.toFixed(2));
      this.showNext();
    }

    say(name, words) {
      const input = this.part(name);
      input.parentElement.querySelector("output").value = words;
      input.setAttribute("aria-valuetext", words);
    }

    one() {
      if (this.run || !this.session.read.length) return;
      this.session.step();
      this.show("");
    }

    // Continue the text from its end, anew, with pauses in which the page is drawn and listens.
    async generate() {
      const { session } = this;
      if (!session.prompt.length) return;
      const count = Math.min(Math.max(Math.floor(Number(this.part("count").value)) || 1, 1), 500);
      this.restart();
      const run = (this.run = {});
      this.part("generate").textContent = "Stop";
      this.part("continuation").setAttribute("aria-busy", "true");
      const begun = performance.now();
      while (this.run === run) {
        const pause = performance.now() + SLICE;
        do session.step();
        while (session.generated.length < count && performance.now() < pause);
        const n = session.generated.length;
        this.show(n < count ? "" : speed(n, performance.now() - begun));
        if (n >= count) this.stop();
        await new Promise(requestAnimationFrame);
      }
    }

    stop() {
      this.run = null;
      this.part("generate").textContent = "Generate";
      this.part("continuation").removeAttribute("aria-busy");
    }

    show(status) {
      const { session } = this;
      const forgotten = session.ids.length - session.read.length;
      if (forgotten) status = `The model sees the last ${session.read.length} of ${session.ids.length} tokens. ${status}`;
      if (!session.read.length) status = "Type something: the model continues a text.";
      this.part("status").textContent = status;
      this.part("continuation").textContent = session.tokenizer.decode(session.generated);
      this.showTokens();
      this.showNext();
      const query = this.part("query");
      query.max = Math.max(session.read.length - 1, 0);
      query.value = query.max;
      this.showAttention();
    }

    showTokens() {
      const { tokenizer, read, generated } = this.session;
      const firstNew = read.length - generated.length;
      this.part("tokens").replaceChildren(
        ...read.map((id, t) => {
          const item = make("li", { title: `id ${id}`, className: t < firstNew ? "" : "lm-new" }, tokenizer.spell(id));
          item.dataset.query = t;
          return item;
        }),
      );
    }

    showNext() {
      const { session } = this;
      const body = this.part("next").tBodies[0];
      if (!session.read.length) return body.replaceChildren();
      const [before, after] = [session.before, session.after];
      const best = Array.from(before.keys()).sort((a, b) => before[b] - before[a]).slice(0, SHOWN);
      const longest = Math.max(before[best[0]], after[best[0]]);
      const bar = (probability) => {
        const drawn = make("span", { className: "lm-bar", style: `--share:${probability / longest}` });
        return make("td", {}, make("span", {}, probability.toFixed(3)), " ", drawn);
      };
      const name = (id) => make("th", { scope: "row" }, make("code", {}, session.tokenizer.spell(id)));
      body.replaceChildren(...best.map((id) => make("tr", {}, name(id), bar(before[id]), bar(after[id]))));
    }

    // The layer, the head and the query that the sliders stand at.
    get place() {
      return ["layer", "head", "query"].map((name) => Number(this.part(name).value));
    }

    ask(query) {
      if (query === undefined) return;
      this.part("query").value = query;
      this.showAttention();
    }

    showAttention() {
      const { decoder, tokenizer, read } = this.session;
      const [layer, head, query] = this.place;
      const words = read.map((id) => tokenizer.spell(id));
      for (const [name, value] of [["layer", layer], ["head", head]]) this.say(name, String(value));
      this.say("query", read.length ? `${query}: ${words[query]}` : "none");
      const weights = read.length ? [...decoder.attention(layer, head, query)] : [];
      [...this.part("tokens").children].forEach((item, t) => {
        item.style.setProperty("--shade", opacity(weights[t] ?? 0));
        item.classList.toggle("lm-asked", t === query);
      });
      const most = weights.indexOf(Math.max(...weights));
      const what = `Attention map of layer ${layer}, head ${head}, for ${read.length} tokens.`;
      const looks = `Token ${query}, ${words[query]}, looks most at token ${most}, ${words[most]}.`;
      this.part("map").setAttribute("aria-label", read.length ? `${what} ${looks}` : what);
      this.drawMap();
      this.showWeights();
    }

    // The table follows only where it can be seen.
    showWeights() {
      const { decoder, tokenizer, read } = this.session;
      const [layer, head, query] = this.place;
      if (!this.part("numbers").open || !read.length) return;
      const cell = (tag, text, scope) => make(tag, scope ? { scope } : {}, text);
      const row = (weight, t) =>
        make("tr", {}, cell("td", String(t)), cell("th", tokenizer.spell(read[t]), "row"), cell("td", weight.toFixed(3)));
      this.part("weights").tBodies[0].replaceChildren(...Array.from(decoder.attention(layer, head, query), row));
    }

    drawMap() {
      const { decoder, tokenizer, read } = this.session;
      const [layer, head, query] = this.place;
      const words = read.map((id) => tokenizer.spell(id));
      drawAttention(this.part("map"), (t) => decoder.attention(layer, head, t), words, query);
    }

    point(event) {
      const { decoder, tokenizer, read } = this.session;
      const [layer, head] = this.place;
      const at = pointedAt(event.target, event, read.length);
      const word = (t) => tokenizer.spell(read[t]);
      this.part("pointed").textContent = at
        ? `${word(at.query)} → ${word(at.key)}: ${decoder.attention(layer, head, at.query)[at.key].toFixed(3)}`
        : "";
    }
  }

  const speed = (n, milliseconds) =>
    `${n} tokens in ${(milliseconds / 1000).toFixed(1)} s: ${Math.round((1000 * n) / milliseconds)} tokens a second.`;

  const start = () => {
    for (const root of document.querySelectorAll(".live-model:not([data-ready])")) {
      root.dataset.ready = "yes";
      root.liveModel = new Widget(root);
    }
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
