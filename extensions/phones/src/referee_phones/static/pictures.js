// Pieces and small pictures as SVG, from the project's own drawings (/art.json): polygons and discs in a square of 100.

import { length } from "./captions.js";
import { html } from "./view.js";
import { title } from "./words.js";

const SYMBOL = 0.78;
const QUARTERS = [[15, -13], [-15, 13], [15, 13]];
const SIGNS = {
  down: [{ circle: [50, 50, 26] }],
  empty: [],
  unknown: [],
};
let art = { sets: {}, mats: {} };

export async function load() {
  art = await (await fetch("art.json")).json();
}

export const setNamed = (name) => art.sets[name];
export const setOf = (mat, zone) => setNamed(art.mats[mat]?.sets[zone]);
export const sidesOf = (mat) => art.mats[mat]?.sides ?? {};

// A drawing by its name, whichever set has it.
export function drawing(name) {
  return Object.values(art.sets).map(({ drawings }) => drawings[name]).find(Boolean);
}

export const drawn = (name) => Boolean(drawing(name)) || name in SIGNS;

function shapes({ shapes: list, ink }) {
  const colour = ink && ink !== "#000000" ? { fill: ink } : {};
  return list.map(({ fill, points, circle }) => {
    const look = fill === "ink" ? { class: "ink", style: colour } : { class: "paper" };
    return circle
      ? html`<circle cx=${circle[0]} cy=${circle[1]} r=${circle[2]} ...${look} />`
      : html`<polygon points=${points.map((point) => point.join(",")).join(" ")} ...${look} />`;
  });
}

// The symbol alone, in a square of the side `size` about the middle.
export function symbol(name, size) {
  const found = drawing(name);
  if (!found) return null;
  return html`<g transform=${`scale(${size / 100}) translate(-50 -50)`}>${shapes(found)}</g>`;
}

// A small picture as panels show it: a stone with its symbol, its blank back, a gap.
export function Picture({ name }) {
  if (!name || name === "empty") return html`<svg class="picture gap" viewBox="0 0 100 100" aria-hidden="true" />`;
  return html`<svg class="picture" viewBox="0 0 100 100" aria-hidden="true">
    <circle class="plate" cx="50" cy="50" r="47" />
    ${name === "down" && html`<circle class="back" cx="50" cy="50" r="30" />`}
    ${name === "unknown" && html`<text class="letter" x="50" y="50" dy="0.36em">?</text>`}
    ${drawing(name) && html`<g transform="translate(50 50)">${symbol(name, 100 * SYMBOL)}</g>`}
    ${!drawn(name) && html`<text class="letter" x="50" y="50" dy="0.36em">${name.slice(0, 2)}</text>`}
  </svg>`;
}

// A piece about the origin, in millimetres. name: what people call it, where nothing is drawn.
export function piece(set, kind, name) {
  const [width, height] = set?.size ?? [30, 30];
  const box = { x: -width / 2, y: -height / 2, width, height };
  if (set?.shape === "card") return kind ? card(set, kind, name) : back(box);
  const plate = set?.shape === "square"
    ? html`<rect ...${box} rx="3" class="plate" />`
    : html`<circle r=${width / 2} class="plate" />`;
  if (!kind) return html`${plate}<circle r=${Math.min(width, height) * 0.3} class="back" />`;
  if (!drawing(kind)) return html`${plate}<text class="word" dy="0.35em" font-size=${fit(name, width)}>${name}</text>`;
  return html`${plate}${symbol(kind, Math.min(width, height) * SYMBOL)}`;
}

function back(box) {
  const inner = { x: box.x + 4, y: box.y + 4, width: box.width - 8, height: box.height - 8 };
  return html`<rect ...${box} rx="3" class="plate" /><rect ...${inner} rx="2" class="back" />`;
}

// A card by its kind, whichever set has it, as a picture of its own. small: only what tells it from others.
export function cardNamed(kind, name, small) {
  const set = Object.values(art.sets).find(({ cards }) => kind in cards);
  const [width, height] = set?.size ?? [63, 88];
  if (small) return set ? smallCard(set, kind) : html`<span>${name}</span>`;
  return html`<svg class="card-face" viewBox=${`${-width / 2 - 1} ${-height / 2 - 1} ${width + 2} ${height + 2}`}>${card(set ?? { size: [width, height], cards: {}, drawings: {} }, kind, name)}</svg>`;
}

// What is printed on a card, simplified: its corner, its symbols, its title.
function card({ size: [width, height], cards, drawings }, kind, name) {
  const face = cards[kind] ?? cards[relation(cards, kind)];
  const label = face ? title(face.kind) : name;
  const symbols = (face?.symbols ?? []).filter((each) => each in drawings);
  const step = symbols.length > 1 ? 23 : 30;
  const first = -((symbols.length - 1) * step) / 2;
  return html`<g>
    <rect x=${-width / 2} y=${-height / 2} width=${width} height=${height} rx="3" class="plate" />
    ${face?.corner && html`<text class="corner" x=${-width / 2 + 5} y=${-height / 2 + 18}>${face.corner}</text>`}
    ${symbols.map(
      (each, at) => html`<g transform=${`translate(0 ${first + at * step - 3})`}>${symbol(each, step - 3)}</g>`,
    )}
    <text class="word" y=${height / 2 - 6} font-size=${fit(label, width)}>${label}</text>
  </g>`;
}

// Its corner and up to three symbols, in quarters.
function smallCard({ cards, drawings }, kind) {
  const { corner, symbols: all } = cards[kind];
  const symbols = all.filter((each) => each in drawings).slice(0, QUARTERS.length);
  const places = symbols.length > 1 ? QUARTERS.slice(-symbols.length) : [corner ? [11, 3] : [0, 0]];
  return html`<svg class="card-face" viewBox="-33 -29 66 58">
    <rect x="-32" y="-28" width="64" height="56" rx="4" class="plate" />
    ${corner && html`<text class="corner" x="-27" y="-5">${corner}</text>`}
    ${symbols.map((each, at) => html`<g transform=${`translate(${places[at]})`}>${symbol(each, symbols.length > 1 ? 26 : 38)}</g>`)}
  </svg>`;
}

// A card that its owner corrected is called like its nearest relation and more.
function relation(cards, kind) {
  return Object.keys(cards).find((known) => kind.startsWith(`${known}-`)) ?? "";
}

// A size of letters at which a word fits.
function fit(text, width) {
  return Math.min(9, (width - 8) / Math.max(length(text) * 1.1, 1));
}
