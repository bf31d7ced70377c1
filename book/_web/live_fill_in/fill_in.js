// A sentence some words of which are hidden, and what the model puts in their places.
(() => {
  const { MaskedLanguageModel, SPECIAL, WordPiece, largest, softmax } = globalThis.clearformer;
  const { UNKNOWN, CLS, SEP, MASK } = SPECIAL;
  const SHOWN = 5; // guesses at each hidden token

  class Filling {
    constructor(model) {
      this.tokenizer = new WordPiece(model.tokens);
      this.model = new MaskedLanguageModel(model);
      this.words = [];
    }

    // Take a sentence, and hide the words that stand at some places of it; one that cannot be read leaves all as it was.
    read(text, hidden = []) {
      const words = this.tokenizer.words(text);
      if (!words.length) throw new RangeError("There are no words to read: type a sentence.");
      const length = words.reduce((sum, { ids }) => sum + ids.length, 2);
      const { context } = this.model;
      if (length > context) {
        const count = `${length} tokens, [CLS] and [SEP] among them, and the model reads at most ${context}`;
        throw new RangeError(`The sentence has ${count}: type a shorter one.`);
      }
      // seen: the tokens that stand there for the model.
      this.words = words.map((word) => ({ ...word, seen: word.ids }));
      this.hide(hidden);
    }

    // Hide the words at some places, and show all others.
    hide(places) {
      this.words.forEach((word, place) => (word.seen = places.includes(place) ? masks(word) : word.ids));
      this.look();
    }

    // Hide a word, or show it again.
    toggle(place) {
      const word = this.words[place];
      word.seen = isHidden(word) ? word.ids : masks(word);
      this.look();
    }

    // Hide a share of the words, at least one, drawn by numbers from [0, 1).
    hideSome(share, random) {
      const order = this.words.map((_, place) => [random(), place]).sort(([a], [b]) => a - b);
      this.hide(order.slice(0, Math.max(1, Math.round(share * order.length))).map(([, place]) => place));
    }

    // Put the most likely token into each hidden place. How many there were, and how many are now as they were.
    fill() {
      const best = new Map(this.guesses.map(({ position, best: [id] }) => [position, id]));
      const right = this.guesses.filter(({ original, best: [id] }) => id === original);
      let position = 1;
      for (const word of this.words) word.seen = word.seen.map((id) => best.get(position++) ?? id);
      this.look();
      return { count: best.size, right: right.length };
    }

    // Let the model read what is seen, and guess at each [MASK]: {position, place, original, probabilities, best}, where
    // place is that of the word, original the token that stood there, and best are the tokens in order.
    look() {
      this.ids = [CLS, ...this.words.flatMap((word) => word.seen), SEP];
      const { states, maps } = this.model.encode(this.ids);
      this.maps = maps;
      this.guesses = [];
      let position = 0;
      this.words.forEach(({ ids, seen }, place) => {
        seen.forEach((id, i) => {
          position++;
          if (id !== MASK) return;
          const probabilities = softmax(this.model.guess(states[position]));
          this.guesses.push({ position, place, original: ids[i], probabilities, best: largest(probabilities, SHOWN) });
        });
      });
    }

    // How much a token looks at each of them, (T,).
    attention(layer, head, query) {
      return this.maps[layer][query][head];
    }

    // The words of which the model has no piece.
    get unknown() {
      return [...new Set(this.words.filter(({ ids }) => ids[0] === UNKNOWN).map(({ text }) => text))];
    }
  }

  const masks = ({ ids }) => ids.map(() => MASK);
  const isHidden = ({ seen }) => seen.every((id) => id === MASK);
  const isFilled = ({ ids, seen }) => !seen.includes(MASK) && seen.some((id, i) => id !== ids[i]);

  Object.assign(globalThis.clearformer, { Filling, isFilled, isHidden });
})();
