// The sky as a circle of sectors, with what is known of each, the pawns, and what may be touched.

import { html } from "./view.js";
import { say } from "./words.js";

const RADIUS = 100;
const INNER = 36;

// Sectors clockwise from 1 at the top; those in sight have a colour. looks: "lit", "idle" or "picked" by key of a sector that
// may be touched ("#3"). touch(key).
export function Sky({ cells, words, lit: seen, marks, looks = {}, touch }) {
  const count = cells.length;
  const turn = (at) => ((at - 0.5) / count) * 2 * Math.PI - Math.PI / 2;
  const at = (sector, radius) => [Math.cos(turn(sector)) * radius, Math.sin(turn(sector)) * radius];
  const sectors = cells.map((_, index) => index + 1);
  const within = between(sectors.filter((sector) => looks[`#${sector}`] === "picked"), count, seen);
  const standing = (sector) => marks.filter(([where]) => where === sector).map(([, mark]) => mark);
  return html`<div class="ring">
    <svg viewBox="-130 -130 260 260" aria-hidden="true">
      ${sectors.map((sector) => html`<path
        class=${`sector${seen.includes(sector) ? " seen" : ""} ${looks[`#${sector}`] ?? ""}${within.includes(sector) ? " between" : ""}`}
        data-spot=${`#${sector}`}
        onClick=${touch && looks[`#${sector}`] && (() => touch(`#${sector}`))}
        d=${slice(sector, count)}
      />`)}
      ${sectors.map((sector) => {
        const [x, y] = at(sector, RADIUS + 13);
        return html`<text class="number" x=${x} y=${y} dy="0.36em">${sector}</text>`;
      })}
      ${sectors.map((sector) => {
        const [x, y] = at(sector, RADIUS - 19);
        return html`<text class="cell" x=${x} y=${y} dy="0.36em">${cells[sector - 1] || "·"}</text>`;
      })}
      ${sectors.map((sector) =>
        standing(sector).map((mark, index) => {
          const [x, y] = at(sector, RADIUS - 46 - 17 * index);
          return html`<g transform=${`translate(${x} ${y})`}>
            <circle class="pawn" r="8.5" /><text class="mark" dy="0.36em">${mark}</text>
          </g>`;
        }),
      )}
    </svg>
    ${seen.length > 0 && html`<p class="legend" aria-hidden="true"><i /> ${say("in-sight")}</p>`}
    <${Meanings} cells=${cells} words=${words} />
    <ol class="unseen">
      ${sectors.map((sector) => {
        const all = [words[sector - 1] || say("empty"), ...standing(sector)];
        if (seen.includes(sector)) all.push(say("in-sight"));
        const place = say("sector", { sector });
        return html`<li>${say("place", { place, what: all.join(", ") })}</li>`;
      })}
    </ol>
  </div>`;
}

// The sectors between two ends, on the side that is in sight.
function between(ends, count, seen) {
  if (ends.length !== 2) return [];
  const arc = (from, to) => Array.from({ length: (to - from + count) % count }, (_, step) => ((from + step - 1) % count) + 1).slice(1);
  const [first, last] = ends;
  return [arc(first, last), arc(last, first)].find((each) => each.every((sector) => seen.includes(sector))) ?? [];
}

// What the letters stand for that are there.
function Meanings({ cells, words }) {
  const found = new Map(cells.map((cell, at) => [cell, words[at]]).filter(([cell, word]) => cell && word && cell !== word));
  if (!found.size) return null;
  return html`<dl class="meanings" aria-hidden="true">
    ${[...found].sort().map(([cell, word]) => html`<div key=${cell}><dt>${cell}</dt><dd>${word}</dd></div>`)}
  </dl>`;
}

function slice(sector, count) {
  const from = ((sector - 1) / count) * 2 * Math.PI - Math.PI / 2;
  const to = (sector / count) * 2 * Math.PI - Math.PI / 2;
  const on = (angle, radius) => `${(Math.cos(angle) * radius).toFixed(2)} ${(Math.sin(angle) * radius).toFixed(2)}`;
  return `M${on(from, RADIUS)} A${RADIUS} ${RADIUS} 0 0 1 ${on(to, RADIUS)} L${on(to, INNER)} A${INNER} ${INNER} 0 0 0 ${on(from, INNER)} Z`;
}
