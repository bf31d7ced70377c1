// Reads a list of [TeX, whether it is displayed], and writes the list of their HTML.
import { text } from "node:stream/consumers";
import katex from "katex";

const html = JSON.parse(await text(process.stdin)).map(([tex, displayMode]) => katex.renderToString(tex, { displayMode }));
process.stdout.write(JSON.stringify(html));
