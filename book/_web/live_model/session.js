// A text that a model reads and continues: which tokens it sees, what comes next, and a generator with a seed.
(() => {
  const { Decoder, Tokenizer, draw, generator, process, softmax } = globalThis.clearformer;

  class Session {
    constructor(model) {
      this.tokenizer = new Tokenizer(model);
      this.decoder = new Decoder(model);
      this.settings = { tau: 1, k: this.decoder.vocab_size, p: 1 };
      this.read = []; // the tokens that the decoder holds
      this.reset("", 0);
    }

    // A new text, nothing generated yet, and the generator at its seed.
    reset(text, seed) {
      this.prompt = this.tokenizer.encode(text);
      this.restart(seed);
    }

    // Forget what was generated.
    restart(seed) {
      this.generated = [];
      this.random = generator(seed);
      this.look();
    }

    // All tokens, and those that the model sees. When its context is full, it forgets half a context at once, so
    // that it need not read everything anew for each token.
    get ids() {
      return [...this.prompt, ...this.generated];
    }

    get seen() {
      const { context } = this.decoder;
      const half = Math.ceil(context / 2);
      const { ids } = this;
      return ids.slice(Math.ceil(Math.max(0, ids.length - context) / half) * half);
    }

    // Let the decoder read what is new; the positions it shares with the last time stay.
    look() {
      const { seen } = this;
      let same = 0;
      while (same < seen.length && seen[same] === this.read[same]) same++;
      if (same === seen.length && same === this.read.length) return;
      this.decoder.length = Math.min(same, Math.max(seen.length - 1, 0));
      for (const id of seen.slice(this.decoder.length)) this.logits = this.decoder.read(id);
      this.read = seen;
    }

    get before() {
      return softmax(this.logits);
    }

    get after() {
      return process(this.logits, this.settings);
    }

    // Draw one token more.
    step() {
      const id = draw(this.after, this.random());
      this.generated.push(id);
      this.look();
      return id;
    }
  }

  Object.assign(globalThis.clearformer, { Session });
})();
