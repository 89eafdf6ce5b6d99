// What can I do? The verbs of the seat's own list, those that cost something, who is about to win, and the lines of the
// reference card on the verbs. It knows no more than the page: list, card and panels came with it.

import { on } from "./said.js";
import { html } from "./view.js";
import { language, say } from "./words.js";

export const verbName = (verb) => verb.replace(/\s*[(（].*/, "");

// Whether a line of the reference card is on this verb, not on a longer word that begins like it.
export function isLineOn(line, verb) {
  const name = verbName(verb);
  return line.startsWith(name) && !/^\p{L}/u.test(line.slice(name.length));
}

const row = (verbs) => verbs.join(language.startsWith("zh") ? "、" : ", ");

// The verbs, those whose every action costs something, and what the card says of them.
export function hint({ touch }, rules) {
  const patterns = touch?.patterns ?? [];
  const verbs = [...new Set(patterns.map(({ verb }) => verb))];
  const costly = verbs.filter((verb) => patterns.every((each) => each.costs || each.verb !== verb));
  const lines = rules.flat().filter((line) => verbs.some((verb) => isLineOn(line, verb)));
  return { verbs, costly, lines };
}

// Whom one more point makes the winner.
const close = (panels) => panels.filter(({ kind, to }) => kind === "score" && to).flatMap(({ entries, to }) => entries.filter(([, points]) => to - points === 1).map(([who]) => who));

// list: the answers of the page. rules: the reference card. panels: what the seat sees.
export function Hint({ list, rules, panels }) {
  const { verbs, costly, lines } = hint(list, rules);
  if (!on("hints") || verbs.length + lines.length < 2) return null;
  return html`<details class="hint">
    <summary>${say("what-can-i-do")}</summary>
    <p>${say("you-can", { moves: row(verbs) })}</p>
    ${costly.length > 0 && html`<p>${say("think-twice", { moves: row(costly) })}</p>`}
    ${close(panels).map((who) => html`<p>${say("one-more-wins", { who })}</p>`)}
    ${lines.length > 0 && html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`}
    <p class="quiet">${say("hold-to-read")}</p>
  </details>`;
}
