// A question for two decoders: the base model continues it as a text, the assistant is asked in the chat template.
(() => {
  const { Decoder, largest, softmax } = globalThis.clearformer;
  const SHOWN = 5; // unknown words that a message names

  class Asking {
    constructor({ sizes, tokens, special, limits, templates, ...weights }) {
      Object.assign(this, { tokens, limits });
      this.known = tokens.slice(special);
      this.ids = new Map(this.known.map((word, i) => [word, special + i]));
      this.sides = Object.entries(templates).map(([name, [before, after]]) => {
        return { name, before, after, decoder: new Decoder({ sizes, ...weights[name] }), read: [], written: [] };
      });
    }

    // The ids of a question; digits and signs are tokens, and a word may be typed with or without a capital.
    encode(text) {
      const words = text.normalize("NFC").match(/[\p{L}\p{M}]+|[^\p{L}\p{M}\s]/gu) ?? [];
      if (!words.length) throw new RangeError("There is no question: type one.");
      const found = words.map((word) => [word, word.toLowerCase(), capitalized(word)].find((form) => this.ids.has(form)));
      const unknown = [...new Set(words.filter((_, i) => !found[i]))];
      if (unknown.length) throw new RangeError(missing(unknown));
      const { question } = this.limits;
      if (words.length > question) {
        const count = `${words.length} tokens, and at most ${question} can be read`;
        throw new RangeError(`The question has ${count}: type a shorter one.`);
      }
      return found.map((word) => this.ids.get(word));
    }

    // Let both models read a question; one that cannot be read leaves all as it was.
    ask(text) {
      const ids = this.encode(text);
      for (const side of this.sides) {
        side.read = [...side.before, ...ids, ...side.after];
        side.written = []; // {id, probability}
        side.decoder.length = 0;
        for (const id of side.read) side.logits = side.decoder.read(id);
      }
    }

    isDone({ written }) {
      return written.length === this.limits.answer || written.at(-1)?.id === this.limits.end;
    }

    // Write the most likely token with each model that is not done; whether one of them still is not.
    step() {
      for (const side of this.sides.filter((each) => !this.isDone(each))) {
        const probabilities = softmax(side.logits);
        const [id] = largest(probabilities, 1);
        side.written.push({ id, probability: probabilities[id] });
        side.logits = side.decoder.read(id);
      }
      return !this.sides.every((side) => this.isDone(side));
    }
  }

  const capitalized = (word) => word[0].toUpperCase() + word.slice(1).toLowerCase();

  const missing = (unknown) => {
    const named = unknown.slice(0, SHOWN).map((word) => `“${word}”`).join(", ");
    const more = unknown.length > SHOWN ? ` and ${unknown.length - SHOWN} more` : "";
    return `The models do not know ${named}${more}. The words that they know are listed below.`;
  };

  Object.assign(globalThis.clearformer, { Asking });
})();
