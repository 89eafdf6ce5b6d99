// The game's reference card, one paragraph a page of it, and the way to all rules. book: see rulebook.js.

import { html } from "./view.js";
import { say } from "./words.js";

export function Rules({ rules, book }) {
  if (!rules.length) return null;
  return html`<details class="box rules">
      <summary><h2>${say("rules")}</h2></summary>
      <${Short} rules=${rules} />
    </details>
    <button type="button" class="plain wide" onClick=${() => book.open()}>${say("all-rules")}</button>`;
}

export function Short({ rules }) {
  return rules.map((page) => html`<section>${page.map((line) => html`<p>${line}</p>`)}</section>`);
}
