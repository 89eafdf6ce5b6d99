// The panels of a view, one component a kind. Each has words: what a picture shows is also said.

import { Picture, drawn } from "./pictures.js";
import { html } from "./view.js";
import { say } from "./words.js";

const KINDS = { line: Line, glyphs: Glyphs, gauge: Gauge, score: Score, ring: Ring, cells: Cells };

export function Panels({ panels }) {
  return html`<div class="panels">
    ${panels.map((panel) => {
      const Kind = KINDS[panel.kind];
      const noun = panel.kind === "gauge" || !panel.label ? null : html`<p class="noun">${panel.label}</p>`;
      return html`${noun}<${Kind} ...${panel} />`;
    })}
  </div>`;
}

function Line({ text, strong }) {
  return html`<p class=${strong ? "line strong" : "line"}>${text}</p>`;
}

function Glyphs({ names, words, captions, marked }) {
  const columns = { gridTemplateColumns: `repeat(${Math.min(names.length, MOST)}, minmax(0, 3.1rem))` };
  return html`<ol class="glyphs" style=${columns}>
    ${names.map(
      (name, at) => html`<li class=${marked.includes(at) ? "marked" : ""}>
        <${Picture} name=${name} />
        ${captions[at] && html`<span class="caption">${captions[at]}</span>`}
        <span class="unseen">${words[at] || say("empty")}${marked.includes(at) ? `, ${say("asked-about")}` : ""}</span>
      </li>`,
    )}
  </ol>`;
}

function Gauge({ label, value, maximum }) {
  const full = { width: `${(100 * Math.min(Math.max(value, 0), maximum)) / Math.max(maximum, 1)}%` };
  return html`<div class="gauge">
    <span class="label" aria-hidden="true">${label}</span>
    <div
      class="tube"
      role="meter"
      aria-label=${label}
      aria-valuemin="0"
      aria-valuemax=${maximum}
      aria-valuenow=${value}
      aria-valuetext=${say("of-maximum", { value, maximum })}
    ><div style=${full} /></div>
    <span class="numbers" aria-hidden="true">${value}<small>/${maximum}</small></span>
  </div>`;
}

function Score({ entries, to }) {
  return html`<dl class="score">
    ${entries.map(
      ([of, points]) => html`<div>
        <dt>${of}</dt>
        <dd>
          ${points}
          ${to && to <= 5 && html`<span class="pips" aria-hidden="true">
            ${Array.from({ length: to }, (_, at) => html`<i class=${at < points ? "full" : ""} />`)}
          </span>`}
        </dd>
      </div>`,
    )}
    ${to && html`<div class="goal"><dt>${say("first-to", { points: to })}</dt></div>`}
  </dl>`;
}

const RADIUS = 100;
const INNER = 36;
const WIDEST = 12;
const MOST = 9;

// Sectors clockwise from 1 at the top; the lit ones are those in sight.
function Ring({ cells, words, lit, marks }) {
  const count = cells.length;
  const turn = (at) => ((at - 0.5) / count) * 2 * Math.PI - Math.PI / 2;
  const at = (sector, radius) => [Math.cos(turn(sector)) * radius, Math.sin(turn(sector)) * radius];
  const sectors = cells.map((_, index) => index + 1);
  const standing = (sector) => marks.filter(([where]) => where === sector).map(([, mark]) => mark);
  return html`<div class="ring">
    <svg viewBox="-130 -130 260 260" aria-hidden="true">
      ${sectors.map((sector) => html`<path class=${lit.includes(sector) ? "sector lit" : "sector"} d=${slice(sector, count)} />`)}
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
    ${lit.length > 0 && html`<p class="legend" aria-hidden="true"><i /> ${say("in-sight")}</p>`}
    <${Meanings} cells=${cells} words=${words} />
    <ol class="unseen">
      ${sectors.map((sector) => {
        const all = [words[sector - 1] || say("empty"), ...standing(sector)];
        if (lit.includes(sector)) all.push(say("in-sight"));
        const place = say("sector", { sector });
        return html`<li>${say("place", { place, what: all.join(", ") })}</li>`;
      })}
    </ol>
  </div>`;
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

function Cells({ cells, numbers }) {
  const columns = { gridTemplateColumns: `repeat(${Math.min(cells.length, WIDEST)}, minmax(0, 1fr))` };
  return html`<ol class="cells" style=${columns}>
    ${cells.map(
      (cell, at) => html`<li>
        <span class=${cell ? "square taken" : "square"} aria-hidden="true">${drawn(cell) ? html`<${Picture} name=${cell} />` : cell}</span>
        <span class="number" aria-hidden="true">${numbers[at]}</span>
        <span class="unseen">${say("place", { place: numbers[at] || "–", what: cell || say("empty") })}</span>
      </li>`,
    )}
  </ol>`;
}
