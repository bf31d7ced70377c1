// Reads a stylesheet and the pages and scripts that it is for; writes it without the rules for what none of them names.
import { text } from "node:stream/consumers";
import { PurgeCSS } from "purgecss";

const { css, files } = JSON.parse(await text(process.stdin));
const [used] = await new PurgeCSS().purge({
  content: files,
  css: [{ raw: css }],
  fontFace: true,
  keyframes: true,
  // Names that Bootstrap joins as it goes, and of the link that a page gets when there is a PDF.
  safelist: { greedy: [/^bs-/, /^paper-link$/] },
});
process.stdout.write(used.css);
