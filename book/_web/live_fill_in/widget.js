// Connects the page elements of a live fill-in with its session: words are hidden, and the guesses are shown.
(() => {
  const { AttentionPanel, Filling, LiveWidget, SPECIAL, barCell, isFilled, isHidden, make, mount, shadeTokens } =
    globalThis.clearformer;
  const SHARE = 0.15; // of the words are hidden at random, as BERT hid them
  const NAMED = 5; // unknown words that a message names
  const NOTHING = "Nothing is hidden: press a word to hide it.";

  class Widget extends LiveWidget {
    open(model) {
      return new Filling(model);
    }

    begin() {
      const { session } = this;
      this.panel = new AttentionPanel(this, {
        words: () => session.tokenizer.spell(session.ids),
        attention: (layer, head, query) => session.attention(layer, head, query),
        shown: (weights, query) => shadeTokens(this.part("tokens"), weights, query),
      });
      this.listen();
      this.example(this.part("prompt"));
    }

    listen() {
      const on = (name, type, action) => this.part(name).addEventListener(type, action);
      on("form", "submit", (event) => {
        event.preventDefault();
        this.read([]);
      });
      for (const button of this.root.querySelectorAll(".lm-prompt")) {
        button.addEventListener("click", () => this.example(button));
      }
      on("words", "click", (event) => this.toggle(event.target.closest("button")));
      on("some", "click", () => this.change(() => this.session.hideSome(SHARE, Math.random)));
      on("fill", "click", () => this.fill());
      on("all", "click", () => this.change(() => this.session.hide([])));
      on("tokens", "click", (event) => this.panel.ask(event.target.closest("li")?.dataset.query));
    }

    example(button) {
      this.part("text").value = button.textContent;
      this.read(JSON.parse(button.dataset.hidden));
    }

    // Read the sentence that was typed or chosen, with the words at some places hidden.
    read(hidden) {
      try {
        this.change(() => this.session.read(this.part("text").value, hidden));
      } catch (error) {
        this.tell(error.message);
        this.part("result").hidden = true;
      }
    }

    toggle(button) {
      if (button) this.change(() => this.session.toggle(Number(button.dataset.place)));
    }

    fill() {
      const count = this.session.guesses.length;
      if (!count) return this.tell(NOTHING);
      this.change(() => {
        const { right } = this.session.fill();
        return `${tokens(count)} filled in, ${right} of them as in the sentence.`;
      });
    }

    // Change what is hidden, and show what came of it; what the change says takes the place of the usual words.
    change(act) {
      const begun = performance.now();
      const said = act();
      const seconds = (performance.now() - begun) / 1000;
      this.part("result").hidden = false;
      this.showWords();
      this.showGuesses();
      this.showTokens();
      this.panel.reset();
      const { guesses } = this.session;
      if (guesses.length) this.panel.ask(guesses[0].position);
      this.tell(`${said ?? this.summary(seconds)} ${this.warning()}`.trim());
    }

    tell(message) {
      this.part("status").textContent = message;
    }

    summary(seconds) {
      const { guesses, words } = this.session;
      if (!guesses.length) return NOTHING;
      const guessed = `${tokens(guesses.length)} guessed in ${seconds.toFixed(2)} s.`;
      return words.every(isHidden) ? `${guessed} All is hidden: it knows no more than how many tokens there are.` : guessed;
    }

    // Which words the model cannot read.
    warning() {
      const { unknown } = this.session;
      if (!unknown.length) return "";
      const named = unknown.slice(0, NAMED).map((word) => `“${word}”`).join(", ");
      const more = unknown.length > NAMED ? ` and ${unknown.length - NAMED} more` : "";
      return `Of ${named}${more} it has no pieces, and reads [UNK].`;
    }

    // The words as buttons. They are made anew for a new sentence only, so that the one in focus stays.
    showWords() {
      const { tokenizer, words } = this.session;
      const list = this.part("words");
      if (this.shown !== words) {
        list.replaceChildren(...words.map((_, place) => wordButton(place)));
        this.shown = words;
      }
      words.forEach((word, place) => {
        const button = list.children[place].firstChild;
        const filled = isFilled(word);
        button.textContent = filled ? tokenizer.decode(word.seen) : word.text;
        button.title = filled ? `in the sentence: ${word.text}` : "";
        button.classList.toggle("lm-new", filled);
        button.setAttribute("aria-pressed", isHidden(word));
      });
    }

    // A table for each hidden token.
    showGuesses() {
      this.part("guesses").replaceChildren(...this.session.guesses.map((guess) => this.table(guess)));
    }

    table({ position, original, probabilities, best }) {
      const { tokens } = this.session.tokenizer;
      const known = original !== SPECIAL.MASK; // one that was typed hides nothing
      const ids = known && !best.includes(original) ? [...best, original] : best;
      const row = (id) => {
        const name = make("th", { scope: "row" }, make("code", {}, tokens[id]));
        if (id === original) name.append(make("span", { className: "lm-chosen" }, " ← hidden"));
        return make("tr", {}, name, barCell(probabilities[id], 1));
      };
      const table = this.part("guess").content.cloneNode(true).firstElementChild;
      table.caption.textContent = known ? `Token ${position} hides ${tokens[original]}` : `Token ${position} is hidden`;
      table.tBodies[0].replaceChildren(...ids.map(row));
      return table;
    }

    showTokens() {
      const { ids, tokenizer } = this.session;
      const items = tokenizer.spell(ids).map((token, t) => {
        const item = make("li", { title: `id ${ids[t]}`, className: ids[t] === SPECIAL.MASK ? "lm-new" : "" }, token);
        item.dataset.query = t;
        return item;
      });
      this.part("tokens").replaceChildren(...items);
    }
  }

  const wordButton = (place) => {
    const button = make("button", { type: "button" });
    button.dataset.place = place;
    return make("li", {}, button);
  };

  const tokens = (count) => `${count} hidden token${count === 1 ? "" : "s"}`;

  mount("live-fill-in", Widget);
})();
