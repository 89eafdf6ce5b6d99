// The cards that may be touched: those that a seat holds, like a hand, or all that it may still hold, spread out in rows.

import { cardNamed } from "./pictures.js";
import { html } from "./view.js";

const FEW = 7;

// The rows of cards among the moves, each with its heading and the keys of its cards.
export function rowsOf(touch, moves) {
  const there = new Set(moves.flatMap(({ keys }) => keys));
  const rows = (touch?.cards ?? []).map(({ heading, things }) => ({ heading, keys: things.map((thing) => touch.things[thing]).filter((key) => there.has(key)) }));
  return rows.filter(({ keys }) => keys.length);
}

export const many = (rows) => rows.flatMap(({ keys }) => keys).length > FEW;

// rows: see above. moves: of the list. lit: "lit", "idle" or "picked" by key. touch(key).
export function Fan({ rows, moves, lit, touch }) {
  if (!rows.length) return null;
  const named = (key) => moves.find(({ keys }) => keys.includes(key)).said.join(", ");
  const small = many(rows);
  const cards = (keys) => keys.map((key) => html`<li key=${key}>
    <button type="button" class=${`card ${lit[key] ?? "out"}`} tabindex="-1" data-spot=${key} onClick=${lit[key] && (() => touch(key))}>${cardNamed(key.slice(1), named(key), small)}</button>
  </li>`);
  if (!small) return html`<ul class="fan" aria-hidden="true">${rows.map(({ keys }) => cards(keys))}</ul>`;
  return html`<div class="fan many" aria-hidden="true">
    ${rows.map(({ heading, keys }) => html`<div key=${keys[0]}>${heading && html`<p>${heading}</p>`}<ul>${cards(keys)}</ul></div>`)}
  </div>`;
}
