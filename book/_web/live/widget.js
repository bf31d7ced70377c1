// A model in the page: waits for the reader, loads its weights, and then takes the place of the still picture.
(() => {
  const { loadWeights } = globalThis.clearformer;

  const make = (tag, attributes = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...children);
    return element;
  };

  // A kind of widget opens a session with a model, and begins when all is visible.
  class LiveWidget {
    constructor(root) {
      this.root = root;
      this.part = (name) => root.querySelector(`.lm-${name}`);
      this.part("start").disabled = false;
      this.part("start").addEventListener("click", () => this.start());
    }

    async start() {
      if (this.session) return;
      this.part("loading").textContent = "Loading the weights …";
      try {
        this.session = this.open(await loadWeights(this.root.dataset.weights, this.root.dataset.key));
      } catch (error) {
        this.part("loading").textContent = `The model does not run: ${error.message}.`;
        return;
      }
      this.part("still").hidden = true;
      this.part("live").hidden = false;
      this.begin();
      this.root.dataset.live = "yes";
      this.part("text").focus();
    }

    // What a slider stands at, in words.
    say(name, words) {
      const input = this.part(name);
      input.parentElement.querySelector("output").value = words;
      input.setAttribute("aria-valuetext", words);
    }
  }

  // A cell with a probability: as a number, and as a bar beside the longest one.
  const barCell = (probability, longest) => {
    const drawn = make("span", { className: "lm-bar", style: `--share:${probability / longest}` });
    return make("td", {}, make("span", {}, probability.toFixed(3)), " ", drawn);
  };

  // Make a widget of each element with a class, once the page has been read.
  const mount = (name, Widget) => {
    const start = () => {
      for (const root of document.querySelectorAll(`.${name}:not([data-ready])`)) {
        root.dataset.ready = "yes";
        root.liveModel = new Widget(root);
      }
    };
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
    else start();
  };

  Object.assign(globalThis.clearformer, { LiveWidget, barCell, make, mount });
})();
