// A sentence that is read, and a translation of it, with all that was known when each of its words was chosen.
(() => {
  const { END, EncoderDecoder, Words, Writing, beamSearch, largest } = globalThis.clearformer;

  class Translation {
    constructor(model) {
      this.words = new Words(model);
      this.model = new EncoderDecoder(model);
      [this.source, this.target] = [[], []];
      [this.hidden, this.both] = [new Set(), false]; // places of the sentence, and whether the encoder misses them, too
    }

    // Read a sentence and translate it by greedy search; a sentence that cannot be read leaves all as it was.
    translate(direction, text) {
      const ids = this.words.encode(direction, text, this.model.context);
      this.direction = this.words.directions[direction];
      this.source = ids;
      this.hide([], this.both);
    }

    // Translate the sentence again without the words at some places, hidden from the decoder or from both; at least one
    // word stays.
    hide(places, both) {
      if (places.length >= this.source.length) throw new RangeError("One word has to stay.");
      [this.hidden, this.both] = [new Set(places), both];
      this.read = this.model.encode(this.source, this.hidden, both);
      this.write((logits) => largest(logits, 1)[0]);
    }

    // Write word by word, chosen by the logits and the number of words before.
    write(choose) {
      const writing = new Writing(this.model, this.read);
      [this.target, this.logits] = [[], []];
      while (this.target.length < this.model.longest && this.target.at(-1) !== END) {
        const logits = writing.step(this.target.at(-1) ?? this.direction.start);
        this.logits.push(logits);
        this.target.push(choose(logits, this.target.length));
      }
      this.maps = writing.maps;
    }

    // Write a translation that was found elsewhere.
    follow(tokens) {
      this.write((_, t) => tokens[t]);
    }

    // Translations {tokens, score} by a search with beams, best first.
    search(nBeams) {
      const { longest } = this.model;
      return beamSearch(new Writing(this.model, this.read), this.direction.start, { nBeams, longest, end: END });
    }

    // Whether the translation came to its end.
    get ended() {
      return this.target.at(-1) === END;
    }

    // How much the word t looked at each word of the sentence when it was chosen, (S,): of one head of the decoder, or
    // the mean of all where head is their number.
    looked(layer, head, t) {
      const heads = this.maps[t][layer];
      return heads[head] ?? heads[0].map((_, s) => heads.reduce((sum, row) => sum + row[s], 0) / heads.length);
    }

    // How much a word of the sentence looks at each of them, (S,).
    attention(layer, head, query) {
      return this.read.maps[layer][query][head];
    }
  }

  Object.assign(globalThis.clearformer, { Translation });
})();
