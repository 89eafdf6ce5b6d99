// A phone without a seat: how it gets one, and why it did not.

import { Languages } from "./drawer.js";
import { Claiming } from "./owner.js";
import { Broken, InClear, Link } from "./parts.js";
import { html } from "./view.js";
import { say } from "./words.js";

// why: the table refuses the link. joining: it asks for its seat just now. barred: no phone can take it. table: this is no seat's page. claim: takes a code, on the owner's page alone. come: takes the seat with its number. retry: asks once more, null if there is nothing to ask with.
export function Door({ about, link, refusal, why, barred, joining, table, pick, again, retry, claim, come }) {
  const head = barred ? refusal : table ? say("connecting") : joining ? say(claim ? "opening" : "joining") : say(claim ? "owners-page" : "no-seat");

  return html`<div class="page door">
    <header class="bar">
      <span class="game"><${Link} state=${link} />${say("title")}</span>
      <${Languages} about=${about} pick=${pick} />
    </header>
    <main>
      <${Broken} state=${link} again=${again} />
      ${why && html`<p class="refusal" role="alert">${why}</p>`}
      <section class="box">
        <h1>${head}</h1>
        ${refusal && !barred && html`<p class="refusal" role="alert">${refusal}</p>`}
        ${!joining && !barred && !table && !claim && html`<p>${say("how-to-join")}</p>`}
        ${!joining && come && html`<${Returning} come=${come} />`}
        ${!joining && claim && html`<${Claiming} claim=${claim} />`}
        ${!table && html`<${InClear} />`}
        ${refusal && retry && html`<button type="button" class="plain" onClick=${retry}>${say("try-again")}</button>`}
      </section>
    </main>
  </div>`;
}

const DIGITS = 6;

// Whoever had the seat by a phone that is lost.
function Returning({ come }) {
  const submit = (event) => {
    event.preventDefault();
    const number = new FormData(event.target).get("number").replace(/\D/g, "");
    if (number) come(number);
  };
  return html`<form class="naming" onSubmit=${submit}>
    <p>${say("lost-phone")}</p>
    <label for="number">${say("its-number")}</label>
    <div class="row">
      <input id="number" name="number" inputmode="numeric" autocomplete="off" maxlength=${DIGITS + 2} />
      <button type="submit" class="plain strong">${say("come-back")}</button>
    </div>
  </form>`;
}

