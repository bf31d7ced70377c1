// Connects the page elements of a live assistant with its session: a question is asked, and both models write.
(() => {
  const { Asking, LiveWidget, make, mount } = globalThis.clearformer;
  const PAUSE = 120; // milliseconds from token to token, so that they can be watched

  class Widget extends LiveWidget {
    open(model) {
      return new Asking(model);
    }

    begin() {
      this.run = null; // what is being written, if anything
      const { known } = this.session;
      this.part("known").querySelector("summary").textContent = `The ${known.length} words and signs that they know`;
      this.part("vocabulary").textContent = known.join(" ");
      this.part("form").addEventListener("submit", (event) => {
        event.preventDefault();
        this.ask();
      });
      for (const button of this.root.querySelectorAll(".lm-prompt")) {
        button.addEventListener("click", () => this.example(button));
      }
      this.example(this.part("prompt"));
    }

    example(button) {
      this.part("text").value = button.textContent;
      this.ask();
    }

    // Ask both models, and show each token when it is written.
    async ask() {
      const { session } = this;
      this.run = null;
      try {
        session.ask(this.part("text").value);
      } catch (error) {
        this.part("status").textContent = error.message;
        this.part("result").hidden = true;
        return;
      }
      const run = (this.run = {});
      this.part("result").hidden = false;
      this.part("result").setAttribute("aria-busy", "true");
      this.part("status").textContent = "";
      for (const side of session.sides) {
        this.part(side.name).replaceChildren(...side.read.map((id) => make("li", {}, session.tokens[id])));
      }
      const pause = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : PAUSE;
      for (let more = true; more; ) {
        more = session.step();
        this.show();
        if (more) await new Promise((resolve) => setTimeout(resolve, pause));
        if (this.run !== run) return; // another question was asked
      }
      this.run = null;
      this.part("result").removeAttribute("aria-busy");
      this.part("status").textContent = session.sides.map((side) => this.summary(side)).join(" ");
    }

    // Show what was written since the last time.
    show() {
      for (const { name, read, written } of this.session.sides) {
        const list = this.part(name);
        for (const { id, probability } of written.slice(list.children.length - read.length)) {
          const small = make("small", {}, probability.toFixed(2));
          list.append(make("li", { className: "lm-new" }, this.session.tokens[id], " ", small));
        }
      }
    }

    // How much a model wrote.
    summary({ name, written }) {
      const { end } = this.session.limits;
      const stopped = written.at(-1).id === end ? "" : ", where it was stopped";
      return `${NAMES[name]}: ${written.length} tokens${stopped}.`;
    }
  }

  const NAMES = { base: "Base model", assistant: "Assistant" };

  mount("live-assistant", Widget);
})();
