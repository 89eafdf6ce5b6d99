// The panels of a view, one component a kind. Each has words: what a picture shows is also said.

import { Picture, drawn } from "./pictures.js";
import { Sky } from "./sky.js";
import { html } from "./view.js";
import { say } from "./words.js";

const WIDEST = 12;
const MOST = 9;
const KINDS = { line: Line, glyphs: Glyphs, gauge: Gauge, score: Score, ring: Sky, cells: Cells };

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
