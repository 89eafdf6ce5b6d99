// Parts that both pages have.

import { Time } from "./clocks.js";
import { Mark } from "./mark.js";
import { cited } from "./rulebook.js";
import { html } from "./view.js";
import { say } from "./words.js";

// How the link stands, in a word; told in full only where it is broken. Of a page that was opened elsewhere the banner
// tells.
export function Link({ state }) {
  return html`<span class="link" data-state=${state} title=${state === "live" ? say("live") : null}>
    ${state !== "superseded" && html`<span class="unseen">${say(state)}</span>`}
  </span>`;
}

// told, open: the words of a page that was opened elsewhere, and of the button that opens it here.
export function Broken({ state, again, told = say("superseded"), open = say("play-here") }) {
  if (state === "lost") return html`<p class="banner" role="alert">${say("lost")}</p>`;
  if (state !== "superseded") return null;
  return html`<div class="banner" role="alert">
    <p>${told}</p>
    <button type="button" class="plain" onClick=${again}>${open}</button>
  </div>`;
}

// Each clause that is named is one tap away. book: see rulebook.js.
export function Alert({ alert, book }) {
  if (!alert.length) return null;
  const [first, ...steps] = alert;
  const clauses = cited(alert, book.rules);
  return html`<section class="alert" aria-label=${say("not-so")}>
    <p><strong>${first}</strong></p>
    ${steps.length > 0 && html`<ul>${steps.map((step) => html`<li>${step}</li>`)}</ul>`}
    ${clauses.length > 0 && html`<div class="row">
      ${clauses.map((clause) => html`<button type="button" key=${clause} class="plain" onClick=${() => book.open(clause)}>${say("rule", { clause })}</button>`)}
    </div>`}
  </section>`;
}

export function Lacks({ lacks }) {
  if (!lacks.length) return null;
  return html`<section class="lacks" aria-labelledby="lacks">
    <h2 id="lacks">${say("lacks")}</h2>
    <ol>${lacks.map((each) => html`<li>${each}</li>`)}</ol>
  </section>`;
}

// Who plays, each with their clock if there are clocks.
export function Players({ players, clocks, now }) {
  if (!players.length) return null;
  return html`<ul class="players" aria-label=${say("players")}>
    ${players.map((player) => html`<${Player} key=${player.seat} ...${player} clock=${clocks.find(({ seat }) => seat === player.seat)} now=${now} />`)}
  </ul>`;
}

function Player({ name, colour, side, turn, phone, clock, now }) {
  return html`<li class=${turn ? "turn" : ""}>
      <${Mark} colour=${colour} /><bdi class="name">${name}</bdi>
      ${side && side !== name && html`<span class="side">${side}</span>`}
      ${phone && html`<span class="phone"><svg viewBox="0 0 12 20" aria-hidden="true"><rect x="1" y="1" width="10" height="18" rx="2" /><path d="M5 16.500h2" /></svg><span class="unseen">${say("by-phone")}</span></span>`}
      ${turn && html`<span class="badge">${say("on-turn")}</span>`}
      ${clock && html`<${Time} clock=${clock} now=${now} />`}
    </li>`;
}

// What others in the network see of a page that is not encrypted.
export function InClear() {
  return !isSecureContext && html`<p class="quiet">${say("in-clear")}</p>`;
}

// Where another phone takes this seat, and with what.
export function Spare({ number }) {
  return number && html`<p class="quiet spare">${say("spare", { address: location.host, number })}</p>`;
}
