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
  const small = many(rows);
  const named = (key, heading) => moves.find(({ keys }) => keys.includes(key)).said.slice(heading ? -1 : 0).join(", ");
  const cards = ({ keys, heading }) => keys.map((key) => html`<li key=${key}>
    <button type="button" class=${`card ${lit[key] ?? "out"}`} tabindex="-1" data-spot=${key} onClick=${lit[key] && (() => touch(key))}>${cardNamed(key.slice(1), named(key, small && heading), small)}</button>
  </li>`);
  if (!small) return html`<ul class="fan" aria-hidden="true">${rows.map(cards)}</ul>`;
  return html`<div class="fan many" aria-hidden="true">
    ${rows.map((row) => html`<div key=${row.keys[0]}>${row.heading && html`<p>${row.heading}</p>`}<ul>${cards(row)}</ul></div>`)}
  </div>`;
}
