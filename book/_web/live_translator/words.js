// Text as words and words as text, as linebyline.corpora.translations.Language does it; words as ids.
(() => {
  const END = 1;
  // What Python calls a word is a letter, a number or "_"; the separators U+001C to U+001F are blanks to it, too.
  const WORD =
    /[Aa]ujourd'hui|(?:[jnldJNLD]|[Qq]u)'(?=[\p{L}\p{N}_])|[\p{L}\p{N}_]+|[^\p{L}\p{N}_\p{White_Space}\x1c-\x1f]/gu;
  const SHOWN = 5; // unknown words that a message names

  const withFirst = (word, change) => {
    const [first] = word;
    return change(first) + word.slice(first.length);
  };
  const small = (word) => withFirst(word, (letter) => letter.toLowerCase());
  const large = (word) => withFirst(word, (letter) => letter.toUpperCase());

  class Words {
    // tokens: each at its id; directions: which words may be read, and the token that begins what is written.
    constructor({ tokens, directions }) {
      this.tokens = tokens;
      this.ids = new Map(tokens.map((token, id) => [token, id]));
      this.directions = directions.map((direction) => {
        const known = new Set(direction.vocabulary.map((id) => tokens[id]));
        const capitals = new Set([...known].filter((word) => small(word) !== word));
        return { ...direction, known, capitals };
      });
    }

    // The words of a text. The first one of a sentence is written small, unless it always has a capital.
    tokenize(direction, text) {
      const { capitals } = this.directions[direction];
      const words = text.normalize("NFC").replace(/[’ʼ]/g, "'").match(WORD) ?? [];
      const isFirst = (i) => i === 0 || words[i - 1] === ".";
      return words.map((word, i) => (isFirst(i) && !capitals.has(word) ? small(word) : word));
    }

    // The ids of a sentence, with its full stop, of at most so many words; what cannot be read is refused by name.
    encode(direction, text, longest) {
      const { known, source } = this.directions[direction];
      const words = this.tokenize(direction, text);
      if (!words.some((word) => /^\p{L}/u.test(word))) throw new RangeError("There are no words to translate: type a sentence.");
      if (words.at(-1) !== ".") words.push(".");
      if (words.length > longest) {
        const count = `${words.length} words and signs, and the translator reads at most ${longest}`;
        throw new RangeError(`The sentence has ${count}: type a shorter one.`);
      }
      const unknown = [...new Set(words.filter((word) => !known.has(word)))];
      if (unknown.length) throw new RangeError(missing(unknown, source, known.size));
      return words.map((word) => this.ids.get(word));
    }

    // The text of ids, up to the token that ends them: each sentence with a capital.
    decode(ids) {
      let [text, first, joined] = ["", true, true];
      const end = ids.indexOf(END);
      for (const word of this.spell(end < 0 ? ids : ids.slice(0, end))) {
        text += (joined || word === "." || word === "," ? "" : " ") + (first ? large(word) : word);
        [first, joined] = [word === ".", word.endsWith("'")];
      }
      return text;
    }

    spell(ids) {
      return ids.map((id) => this.tokens[id]);
    }
  }

  const missing = (unknown, language, size) => {
    const named = unknown.slice(0, SHOWN).map((word) => `“${word}”`).join(", ");
    const more = unknown.length > SHOWN ? ` and ${unknown.length - SHOWN} more` : "";
    return `The ${language} vocabulary of ${size} words and signs does not have ${named}${more}.`;
  };

  Object.assign((globalThis.clearformer ??= {}), { END, Words });
})();
