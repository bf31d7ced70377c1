// Answers to exercises in the page: says how far off a prediction is, and whether a line or an option is the right one.
// What it says of numbers is what `check` says in Python (src/linebyline/exercises/core/predict.py).
(() => {
  const isNear = (got, value, within) => Math.abs(got - value) <= within * (Math.abs(value) || 1);

  const short = (factor) =>
    factor >= 10 ? String(Math.floor(factor + 0.5)) : (Math.floor(10 * factor + 0.5) / 10).toFixed(1).replace(/\.0$/, "");

  const howFar = (got, value) => {
    const side = got > value ? "too high" : "too low";
    if (value === 0) return side;
    if (got * value <= 0) return `${side}: it ${got === 0 ? "is 0" : "has the wrong sign"}`;
    const [small, large] = [Math.abs(got), Math.abs(value)].sort((a, b) => a - b);
    if (large / small >= 1.5) return `${side} by a factor of ${short(large / small)}`;
    const percent = Math.floor((100 * (large - small)) / Math.abs(value) + 0.5);
    return `${side} by ${percent || "less than 1"} %`;
  };

  const ofNumbers = (form, { values, shown, within, guesses }) => {
    const inputs = [...form.querySelectorAll("input")];
    if (inputs.some((input) => input.value === "")) return { words: ["Give a number first."] };
    const numbers = inputs.map((input) => Number(input.value));
    const words = inputs.map((input, i) => {
      const near = isNear(numbers[i], values[i], within);
      const verdict = near ? `right, computed ${shown[i]}` : howFar(numbers[i], values[i]);
      return `${input.labels[0].textContent}: ${input.value} is ${verdict}`;
    });
    const right = numbers.every((number, i) => isNear(number, values[i], within));
    const known = guesses.find((guess) => guess.values.every((value, i) => isNear(numbers[i], value, within)));
    return { right, words: right || !known ? words : [...words, known.remark] };
  };

  const ofChoice = (form, { right, words }) => {
    const chosen = form.querySelector("input:checked");
    if (!chosen) return { words: ["Choose one first."] };
    const found = Number(chosen.value) === right;
    return { right: found, words: [found ? "Right." : "Not this one.", words[chosen.value]].filter(Boolean) };
  };

  const say = (form, { right = false, words = [] }) => {
    const verdict = form.querySelector(".in-page-verdict");
    verdict.classList.toggle("in-page-right", right);
    verdict.replaceChildren(
      ...words.map((text) => Object.assign(document.createElement("p"), { textContent: text })),
    );
  };

  const answer = (form) => {
    const data = JSON.parse(form.querySelector("script").textContent);
    say(form, data.values ? ofNumbers(form, data) : ofChoice(form, data));
  };

  const start = () => {
    for (const form of document.querySelectorAll(".in-page")) {
      const button = form.querySelector("button");
      button.addEventListener("click", () => answer(form));
      form.addEventListener("keydown", ({ key, target }) => key === "Enter" && target !== button && button.click());
      form.addEventListener("input", () => say(form, {})); // what was said is no longer about what stands there
      form.querySelector("fieldset").disabled = false;
    }
  };

  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
