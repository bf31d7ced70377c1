// Connects a live model's page elements with a session: what the reader types is read, what follows is shown.
(() => {
  const { AttentionPanel, LiveWidget, Session, barCell, largest, make, mount, shadeTokens } = globalThis.clearformer;
  const SHOWN = 12; // rows of the table of next tokens
  const SLICE = 30; // milliseconds of computing between two drawings

  class Widget extends LiveWidget {
    open(model) {
      return new Session(model);
    }

    begin() {
      this.run = null; // what is being generated, if anything
      const { session } = this;
      this.panel = new AttentionPanel(this, {
        words: () => session.read.map((id) => session.tokenizer.spell(id)),
        attention: (layer, head, query) => session.decoder.attention(layer, head, query),
        shown: (weights, query) => shadeTokens(this.part("tokens"), weights, query),
      });
      this.listen();
      this.reset();
      // What was there before is written once more, by this browser, unless the page leaves the first token to the reader.
      if (!this.root.querySelector(".lm-rest")) this.generate();
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
      on("tokens", "click", (event) => this.panel.ask(event.target.closest("li")?.dataset.query));
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
      this.panel.reset();
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
      const best = largest(before, SHOWN);
      const longest = Math.max(before[best[0]], after[best[0]]);
      const bar = (probability) => barCell(probability, longest);
      const name = (id) => make("th", { scope: "row" }, make("code", {}, session.tokenizer.spell(id)));
      body.replaceChildren(...best.map((id) => make("tr", {}, name(id), bar(before[id]), bar(after[id]))));
    }
  }

  const speed = (n, milliseconds) =>
    `${n} tokens in ${(milliseconds / 1000).toFixed(1)} s: ${Math.round((1000 * n) / milliseconds)} tokens a second.`;

  mount("live-model", Widget);
})();
