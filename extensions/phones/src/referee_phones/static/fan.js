// The cards that may be touched, large if they are few: those that a seat holds, or all that it may still hold.

import { cardNamed } from "./pictures.js";
import { html } from "./view.js";

const FEW = 8;

// moves: of the list. lit: "lit", "idle" or "picked" by key. touch(key).
export function Fan({ moves, lit, touch }) {
  const names = new Map(moves.flatMap(({ keys, said }) => keys.filter((key) => key.startsWith("=")).map((key) => [key, said.join(", ")])));
  if (!names.size) return null;
  return html`<ul class=${names.size > FEW ? "fan many" : "fan"} aria-hidden="true">
    ${[...names].map(([key, name]) => html`<li key=${key}>
      <button type="button" class=${`card ${lit[key] ?? "out"}`} tabindex="-1" data-spot=${key} onClick=${lit[key] && (() => touch(key))}>${cardNamed(key.slice(1), name)}</button>
    </li>`)}
  </ul>`;
}
