// The game's reference card, one paragraph a page of it.

import { html } from "./view.js";
import { say } from "./words.js";

export function Rules({ rules }) {
  if (!rules.length) return null;
  return html`<details class="box rules">
    <summary><h2>${say("rules")}</h2></summary>
    ${rules.map((page) => html`<section>
      ${page.map((line) => html`<p>${line}</p>`)}
    </section>`)}
  </details>`;
}
