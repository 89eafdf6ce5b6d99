// A player's colour, with a shape of its own for those who tell colours badly.

import { html } from "./view.js";
import { say } from "./words.js";

export const SHAPES = {
  blue: "M1.5 8a6.5 6.5 0 0 1 13 0a6.5 6.5 0 0 1-13 0z",
  red: "M2 2h12v12h-12z",
  yellow: "M8 1.500l7 12.500h-14z",
  green: "M8 0.800l7.200 7.200l-7.200 7.200l-7.200-7.200z",
};
const SIGNS = { blue: "●", red: "■", yellow: "▲", green: "◆" };

export function Mark({ colour }) {
  return colour && html`<svg class="mark" data-colour=${colour} viewBox="0 0 16 16" aria-hidden="true"><path d=${SHAPES[colour]} /></svg>`;
}

// The same within a drawing's text.
export const sign = (colour) => colour && html`<tspan class="mark" data-colour=${colour}>${SIGNS[colour]}</tspan>`;

// colours: that can be asked for. chosen: the present one. choose(colour).
export function Colours({ colours, chosen, choose, name }) {
  if (!colours.length) return null;
  return html`<fieldset class="colours">
    <legend class="unseen">${say("your-colour")}</legend>
    ${colours.map((colour) => html`<label key=${colour} class=${colour === chosen ? "chosen" : ""}>
      <input type="radio" class="unseen" name=${name} value=${colour} checked=${colour === chosen} onChange=${() => choose(colour)} />
      <${Mark} colour=${colour} /><span class="unseen">${say(`colour-${colour}`)}</span>
    </label>`)}
  </fieldset>`;
}

// The colour of a seat, as the page has it.
export const colourOf = (players, seat) => players.find((player) => player.seat === seat)?.colour;
