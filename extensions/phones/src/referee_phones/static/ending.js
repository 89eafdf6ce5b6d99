// How a match ended: who won, what decided it as large as it is wanted, the points; then the match in figures, to share
// and to save. The result itself is the page's sentence beside it.

import { Mark } from "./mark.js";
import { Panels } from "./panels.js";
import { cardNamed, piece, setOf } from "./pictures.js";
import { poster, share } from "./poster.js";
import { Sky } from "./sky.js";
import { html } from "./view.js";
import { say } from "./words.js";

const MOST = 5;
const LEAVES = 7;

// ending: of the page. board: null without a mat. players: for their names. apart: what decided it is drawn elsewhere.
export function Ending({ ending, board, players, apart, children }) {
  const { winners, things, decided, scores } = ending;
  const playerAt = playerAmong(players);
  return html`<section class="ending" aria-label=${say("the-end")}>
    ${winners.length > 0 && html`<div class="won">
      <${Branch} />
      <p><small>${say("won-by")}</small><strong>${winners.map(playerAt).map(({ name, colour }, at) => html`<span key=${winners[at]}><${Mark} colour=${colour} /><bdi>${name}</bdi></span>`)}</strong></p>
      <${Branch} right />
    </div>`}
    ${(things.length > 0 || decided.length > 0) && html`<div class="decided">
      ${!apart && html`<${Deciding} ending=${ending} board=${board} />`}
      ${decided.map((text) => html`<p>${text}</p>`)}
    </div>`}
    ${scores.length > 0 && html`<${Panels} panels=${scores} />`}
    ${children}
  </section>`;
}

// The things that decided the match: pieces, cards, a sector of the sky.
export function Deciding({ ending: { things, ring }, board }) {
  const pieces = things.filter((key) => !key.startsWith("#")).slice(0, MOST);
  return html`<div class="deciding">
    ${ring && html`<${Sky} ...${ring} looks=${Object.fromEntries(things.map((key) => [key, "picked"]))} />`}
    ${pieces.length > 0 && html`<ul aria-hidden="true">${pieces.map((key) => html`<li key=${key}>${pieceAt(key, board)}</li>`)}</ul>`}
  </div>`;
}

function pieceAt(key, board) {
  if (key.startsWith("=")) return cardNamed(key.slice(1), "");
  const found = board.pieces.find(({ zone, index }) => `${zone}/${index}` === key);
  return found && html`<${Large} set=${setOf(board.mat, found.zone)} ...${found} />`;
}

// The match in figures, and what leaves the page. game, result: as the page says them. save(signed): asks the table for the
// match's record. saving: it has not come yet. signs: there is a signed one.
export function Record({ ending, players, game, result, save, saving, signs }) {
  const { facts } = ending;
  const pass = async () => {
    const drawings = [...document.querySelectorAll(".deciding svg")];
    const told = { game, result, winners: ending.winners.map(playerAmong(players)), players, facts, begun: ending.begun, heads: ending.heads };
    await share(await poster({ ...told, pieces: drawings }), game);
  };
  return html`
    ${facts.length > 0 && html`<ul class="facts">${facts.map((each) => html`<li key=${each}>${each}</li>`)}</ul>`}
    <div class="row">
      <button type="button" class="plain" onClick=${pass}>${say("share")}</button>
      <button type="button" class="plain" disabled=${Boolean(saving)} onClick=${() => save(false)}>${say(saving ? "saving" : "save-match")}</button>
      ${signs && html`<button type="button" class="plain" disabled=${Boolean(saving)} onClick=${() => save(true)}>${say("save-signed")}</button>`}
    </div>
  `;
}

const playerAmong = (players) => (seat) => players.find((player) => player.seat === seat) ?? { name: seat.toUpperCase() };

function Large({ set, kind, name }) {
  const [width, height] = set?.size ?? [30, 30];
  return html`<svg viewBox=${`${-width / 2 - 1} ${-height / 2 - 1} ${width + 2} ${height + 2}`} style=${{ aspectRatio: `${width} / ${height}` }}><g class="piece">${piece(set, kind, name)}</g></svg>`;
}

// Half a wreath: leaves along a quarter of a circle, each grown a little later than the one below.
function Branch({ right }) {
  const leaf = (at) => {
    const angle = 95 + at * 23;
    const [x, y] = [50 + 40 * Math.cos((angle * Math.PI) / 180), 50 + 40 * Math.sin((angle * Math.PI) / 180)];
    return [html`<ellipse rx="9" ry="3.600" transform=${`translate(${x} ${y}) rotate(${angle + 55})`} />`, html`<ellipse rx="7" ry="3" transform=${`translate(${x + 4} ${y - 2}) rotate(${angle + 125})`} />`];
  };
  return html`<svg class="branch" viewBox="0 0 58 100" aria-hidden="true" transform=${right ? "scale(-1 1)" : null}>
    ${Array.from({ length: LEAVES }, (_, at) => html`<g key=${at} style=${{ animationDelay: `${at * 70}ms` }}>${leaf(at)}</g>`)}
  </svg>`;
}
