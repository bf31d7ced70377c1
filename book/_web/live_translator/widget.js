// Connects a live translator's page elements with a translation: a sentence is translated, each word can be asked.
(() => {
  const { AttentionPanel, LiveWidget, Translation, barCell, drawLines, largest, make, mount, softmax, weightRows } =
    globalThis.clearformer;
  const SHOWN = 8; // rows of the table of next words
  const N_BEAMS = 4;
  const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -Infinity, End: Infinity };

  class Widget extends LiveWidget {
    open(model) {
      return new Translation(model);
    }

    begin() {
      const { session } = this;
      this.panel = new AttentionPanel(this, {
        words: () => session.words.spell(session.source),
        attention: (layer, head, query) => session.attention(layer, head, query),
        shown: () => {},
        first: 1,
      });
      this.listen();
      this.turn();
      this.ask(this.undecided());
    }

    listen() {
      const on = (name, type, action) => this.part(name).addEventListener(type, action);
      const form = this.part("form");
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        this.translate();
      });
      form.addEventListener("change", (event) => event.target.matches(".lm-direction") && this.turn());
      for (const button of this.root.querySelectorAll(".lm-prompt")) {
        button.addEventListener("click", () => this.example(button));
      }
      on("source", "click", (event) => this.toggle(event.target.closest("button")));
      on("from", "change", () => this.hide([...this.session.hidden]));
      on("back", "click", () => this.ask(this.chosen - 1));
      on("forward", "click", () => this.ask(this.chosen + 1));
      on("target", "keydown", (event) => this.press(event));
      on("target", "click", (event) => this.ask(event.target.closest("li")?.dataset.place));
      for (const name of ["cross-layer", "cross-head"]) on(name, "input", () => this.showWord());
      on("cross-numbers", "toggle", () => this.showWeights());
      on("search", "click", () => this.search());
      on("hypotheses", "click", (event) => this.follow(event.target.closest("button")));
      new ResizeObserver(() => this.draw()).observe(this.part("stage"));
    }

    get direction() {
      return this.root.querySelector(".lm-direction:checked");
    }

    // The languages of the sentence and of its translation, as a page names them.
    get tags() {
      return this.direction.dataset.tags.split(" ");
    }

    // Other languages were chosen: their sentences are offered, and the first one is translated.
    turn() {
      const offered = [...this.root.querySelectorAll(".lm-prompt")].filter((button) => {
        button.hidden = button.dataset.direction !== this.direction.value;
        return !button.hidden;
      });
      this.showVocabulary();
      this.example(offered[0]);
    }

    example(button) {
      this.part("text").value = button.textContent;
      this.translate();
    }

    translate() {
      const begun = performance.now();
      try {
        this.session.translate(Number(this.direction.value), this.part("text").value);
      } catch (error) {
        this.part("status").textContent = error.message;
        this.part("result").hidden = true;
        return;
      }
      const seconds = (performance.now() - begun) / 1000;
      this.part("result").hidden = false;
      this.part("beams").hidden = true;
      this.show(`${count(this.session)} in ${seconds.toFixed(2)} s.`);
      this.panel.reset();
    }

    // The word whose lines are divided most: its largest weight is the smallest. There is most to see.
    undecided() {
      const most = this.session.target.map((_, t) => -Math.max(...this.weights(t)));
      return largest(most, 1)[0];
    }

    // Hide a word of the sentence, or show it again.
    toggle(button) {
      if (!button) return;
      const place = Number(button.parentElement.dataset.place);
      const others = [...this.session.hidden].filter((other) => other !== place);
      this.hide(others.length < this.session.hidden.size ? others : [...others, place]);
      this.part("source").children[place].firstChild.focus();
    }

    hide(places) {
      const { session } = this;
      const [{ chosen }, both] = [this, this.root.querySelector(".lm-from input:checked").value === "both"];
      try {
        session.hide(places, both);
      } catch (error) {
        this.part("status").textContent = error.message;
        return;
      }
      const names = places.sort((a, b) => a - b).map((place) => `“${session.words.tokens[session.source[place]]}”`);
      const from = both ? "the decoder and the encoder" : "the decoder";
      this.part("beams").hidden = true;
      this.show(names.length ? `Hidden from ${from}: ${names.join(", ")}.` : "No word is hidden.");
      this.ask(chosen);
      this.panel.reset();
    }

    // Show the translation that the session holds.
    show(status) {
      const { session } = this;
      const { longest } = session.model;
      this.part("status").textContent = session.ended ? status : `${status} It stops after ${longest}, without an end.`;
      this.part("continuation").textContent = session.words.decode(session.target);
      this.part("continuation").lang = this.tags[1];
      this.showWords();
      this.ask(0);
    }

    showWords() {
      const { session, root, tags } = this;
      const lists = [session.source, session.target].map((ids) =>
        ids.map((id, place) => {
          const item = make("li", { title: `id ${id}` }, session.words.tokens[id]);
          item.dataset.place = place;
          return item;
        }),
      );
      lists[0].forEach((item, s) => {
        const button = make("button", { type: "button", className: "lm-hide" }, item.textContent);
        button.setAttribute("aria-pressed", String(session.hidden.has(s)));
        button.setAttribute("aria-label", `Hide ${item.textContent}`);
        item.replaceChildren(button);
      });
      lists[1].forEach((item, t) => Object.assign(item, { id: `${root.id}-word-${t}`, role: "option" }));
      ["source", "target"].forEach((name, side) => {
        this.part(name).replaceChildren(...lists[side]);
        this.part(name).lang = tags[side];
      });
    }

    press(event) {
      const step = STEPS[event.key];
      if (step === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      this.ask(this.chosen + step);
    }

    // Choose a word of the translation; beyond the ends it is the first or the last one.
    ask(place) {
      if (place === undefined) return;
      this.chosen = Math.min(Math.max(Number(place), 0), this.session.target.length - 1);
      [...this.part("target").children].forEach((item, t) => item.setAttribute("aria-selected", t === this.chosen));
      this.part("target").setAttribute("aria-activedescendant", `${this.root.id}-word-${this.chosen}`);
      this.showWord();
      this.showNext();
    }

    // The layer and the head that the sliders of the decoder stand at; behind the last head stands the mean of all.
    get weights() {
      const [layer, head] = ["cross-layer", "cross-head"].map((name) => Number(this.part(name).value));
      return (t) => this.session.looked(layer, head, t);
    }

    // Where the word chosen looked at.
    showWord() {
      const { session, chosen } = this;
      const { n_heads } = session.model;
      const [layer, head] = ["cross-layer", "cross-head"].map((name) => Number(this.part(name).value));
      this.say("cross-layer", String(layer + 1));
      this.say("cross-head", head === n_heads ? `mean of all ${n_heads}` : String(head + 1));
      const weights = this.weights(chosen);
      const [most] = largest(weights, 1);
      const { tokens } = session.words;
      const word = `Word ${chosen + 1} of ${session.target.length}, ${tokens[session.target[chosen]]}`;
      const seen = `${tokens[session.source[most]]}, with a weight of ${weights[most].toFixed(3)}`;
      this.part("looks").textContent = `${word}: it looked most at ${seen}.`;
      this.draw();
      this.showWeights();
    }

    // The table follows only where it can be seen.
    showWeights() {
      const { session, chosen } = this;
      if (!this.part("cross-numbers").open) return;
      const rows = weightRows(this.weights(chosen), session.words.spell(session.source));
      this.part("cross-weights").tBodies[0].replaceChildren(...rows);
    }

    draw() {
      if (this.part("result").hidden) return;
      drawLines(this.part("stage"), ["source", "lines", "target"].map(this.part), this.weights, this.chosen);
    }

    // What could have stood in the place of the word chosen.
    showNext() {
      const { session, chosen } = this;
      const { words, target } = session;
      const probabilities = softmax(session.logits[chosen]);
      const best = largest(probabilities, SHOWN);
      const written = target[chosen];
      if (!best.includes(written)) best.push(written);
      const name = (id) => {
        const cell = make("th", { scope: "row", lang: this.tags[1] }, words.tokens[id]);
        if (id === written) cell.append(make("span", { className: "lm-chosen", lang: "en" }, " ← written"));
        return cell;
      };
      const before = words.spell([session.direction.start, ...target.slice(0, chosen)]).join(" ");
      this.part("next").caption.textContent = `The word after ${before}`;
      const longest = probabilities[best[0]];
      const rows = best.map((id) => make("tr", {}, name(id), barCell(probabilities[id], longest)));
      this.part("next").tBodies[0].replaceChildren(...rows);
    }

    // Translate with beams; each translation found can be shown in place of the greedy one.
    search() {
      const { session } = this;
      const begun = performance.now();
      this.found = session.search(N_BEAMS);
      const seconds = (performance.now() - begun) / 1000;
      const row = ({ tokens, score }, rank) => {
        const button = make("button", { type: "button", lang: this.tags[1] }, session.words.decode(tokens));
        button.dataset.rank = rank;
        const cells = [String(tokens.length), score.toFixed(3)].map((text) => make("td", {}, text));
        return make("tr", {}, make("th", { scope: "row" }, button), ...cells);
      };
      this.part("hypotheses").tBodies[0].replaceChildren(...this.found.map(row));
      this.part("beams").hidden = false;
      this.mark();
      this.part("status").textContent = `${this.found.length} translations with ${N_BEAMS} beams in ${seconds.toFixed(2)} s.`;
    }

    follow(button) {
      if (!button) return;
      this.session.follow(this.found[Number(button.dataset.rank)].tokens);
      this.show(`Translation ${Number(button.dataset.rank) + 1} of the search is shown.`);
      this.mark();
    }

    // Which of the translations found is the one that is shown.
    mark() {
      const shown = String(this.session.target);
      this.part("hypotheses").querySelectorAll("button").forEach((button, rank) => {
        button.setAttribute("aria-pressed", String(this.found[rank].tokens) === shown);
      });
    }

    showVocabulary() {
      const { known, source } = this.session.words.directions[this.direction.value];
      this.part("known").querySelector("summary").textContent = `The ${known.size} ${source} words and signs that it knows`;
      this.part("vocabulary").textContent = [...known].join(" ");
      this.part("vocabulary").lang = this.part("text").lang = this.tags[0];
    }
  }

  const count = ({ source, target }) => `${source.length} tokens read and ${target.length} written`;

  mount("live-translator", Widget);
})();
