// The mat from above with what lies on it, as everybody may know it, drawn or as the camera sees it; what the last action
// touched is marked, and what has to be put back.

import { captions } from "./captions.js";
import { sign } from "./mark.js";
import { piece, setOf, sidesOf } from "./pictures.js";
import { Component, createRef, html } from "./view.js";
import { say } from "./words.js";

const GAP_MM = 6;
const STRIP_MM = 18;
const ROOM_MM = 14;
const ASIDE_PX = 16;
const WIDEST_PX = 800;
const EDGES = {
  bottom: (width, height) => [width / 2, height + ROOM_MM / 2],
  top: (width) => [width / 2, -ROOM_MM / 2],
  left: (_, height) => [-ROOM_MM / 2, height / 2],
  right: (width, height) => [width + ROOM_MM / 2, height / 2],
};

const MOVE_MS = 450;
const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

// Drawn again when the device is turned: the zones' names are as large as the display is wide. Pieces move where they went.
export class Board extends Component {
  constructor(props) {
    super(props);
    this.root = createRef();
  }

  componentDidUpdate({ board: before }) {
    const { board } = this.props;
    if (board === before || board.mat !== before.mat || still()) return;
    const [from, to] = [poses(before), poses(board)];
    for (const [old, now] of moved(before.pieces, board.pieces)) {
      const [start, end] = [from.get(spotOf(old)), to.get(spotOf(now))];
      if (!start || !end || `${start}` === `${end}`) continue;
      const frames = [start, end].map(([x, y, turned]) => ({ transform: `translate(${x}px, ${y}px) rotate(${turned}deg)` }));
      this.root.current?.querySelector(`.piece[data-spot="${CSS.escape(spotOf(now))}"]`)?.animate(frames, { duration: MOVE_MS, easing: "ease-in-out" });
    }
  }

  componentDidMount() {
    this.resized = () => this.setState({ width: window.innerWidth });
    window.addEventListener("resize", this.resized);
  }

  componentWillUnmount() {
    window.removeEventListener("resize", this.resized);
  }

  render({ board, players, lit = {}, touch, picture, marks = [] }) {
    return drawing(board, players, lit, touch, this.root, picture && pictured(board, picture, marks));
  }
}

const spotOf = ({ zone, index }) => `${zone}/${index}`;

// Where each piece is drawn, by its spot.
function poses({ mat, places, pieces }) {
  const found = new Map();
  for (const place of places) {
    const lying = pieces.filter(({ zone }) => zone === place.zone);
    where(place, setOf(mat, place.zone), lying).forEach((pose, at) => found.set(spotOf(lying[at]), pose));
  }
  return found;
}

// Pairs of pieces before and after: of the same kind, those of the same zone first.
function moved(before, after) {
  const left = [...before];
  const match = (fits) => (now) => {
    const at = left.findIndex((old) => old.kind === now.kind && fits(old, now));
    return at < 0 ? [] : [[left.splice(at, 1)[0], now]];
  };
  const stayed = after.flatMap(match((old, now) => old.zone === now.zone));
  const seen = new Set(stayed.map(([, now]) => now));
  return [...stayed, ...after.filter((now) => !seen.has(now)).flatMap(match(() => true))];
}

// The camera's picture with the referee's marks.
function pictured({ mat, size_mm: [width, height] }, picture, marks) {
  return html`<image class="photo" href=${`data:image/jpeg;base64,${picture}`} width=${width} height=${height} preserveAspectRatio="none" />
    ${marks.map(({ zone, x_mm: x, y_mm: y, angle_deg: turned, back }) => {
      const set = setOf(mat, zone);
      const [across, down] = set?.size ?? [30, 30];
      return html`<g class=${back ? "on-photo back" : "on-photo"} transform=${`translate(${x} ${y}) rotate(${turned})`}>
        ${["halo", "ring"].map((name) => outline(set, across, down, name))}
      </g>`;
    })}`;
}

// lit: "lit", "idle" or "picked" by the key of a piece ("zone/index") or of a place where one may go (">zone/index").
// touch(key). picture: stands in the place of what is drawn.
function drawing(board, players, lit, touch, root, picture) {
  const { mat, size_mm: [width, height], places, pieces } = board;
  const view = `${-ROOM_MM} ${-ROOM_MM} ${width + 2 * ROOM_MM} ${height + 2 * ROOM_MM}`;
  const scale = Math.min(window.innerWidth - 2 * ASIDE_PX, WIDEST_PX) / (width + 2 * ROOM_MM);
  const lying = places.map((place) => ({ place, set: setOf(mat, place.zone), found: pieces.filter(({ zone }) => zone === place.zone) }));
  return html`<figure class="board" ref=${root}>
    <svg viewBox=${view} aria-hidden="true" preserveAspectRatio="xMidYMid meet">
      ${picture || html`<rect class="mat" width=${width} height=${height} rx="6" />
      ${places.map((place) => html`<${Zone} ...${place} />`)}
      ${captions(board, 0, scale).map(({ title, x, y, size, upright }) => html`<text class="caption" font-size=${size} transform=${`translate(${x} ${y})${upright ? " rotate(-90)" : ""}`}>${title}</text>`)}
      ${lying.map(({ place, set, found }) => laid(place, set, found, lit, touch))}
      ${lying.map(({ place, set, found }) => open(place, set, found, lit, touch))}`}
      ${seats(mat, players, width, height)}
    </svg>
    <figcaption class="unseen">
      <p>${say("table-above")}</p>
      <ul>
        ${lying.filter(({ found }) => found.length).map(({ place, found }) => html`<li>
          ${say("place", { place: place.title, what: found.map(told).join(", ") })}
        </li>`)}
      </ul>
    </figcaption>
  </figure>`;
}

const told = ({ name, marked }) => (marked ? `${name} (${say("marked")})` : name);

function Zone({ box, cells }) {
  const outlines = cells.length ? cells : [box];
  return html`<g class="zone">
    ${outlines.map(([left, top, across, down]) => html`<rect x=${left} y=${top} width=${across} height=${down} rx="3" />`)}
  </g>`;
}

function laid(place, set, found, lit, touch) {
  const poses = where(place, set, found);
  return found.map(({ index, kind, name, marked }, at) => {
    const [x, y, turned] = poses[at];
    const [width, height] = set?.size ?? [30, 30];
    const spot = spotOf({ zone: place.zone, index });
    const look = `piece${marked ? " marked" : ""}${lit[spot] ? ` ${lit[spot]}` : ""}`;
    return html`<g class=${look} data-spot=${spot} onClick=${lit[spot] && (() => touch(spot))} transform=${`translate(${x} ${y}) rotate(${turned})`}>
      ${piece(set, kind, name)}
      ${lit[spot] && outline(set, width, height, "glow")}
      ${marked && outline(set, width, height, "ring")}
    </g>`;
  });
}

function outline(set, width, height, name) {
  return set?.shape === "card"
    ? html`<rect class=${name} x=${-width / 2 - 2.5} y=${-height / 2 - 2.5} width=${width + 5} height=${height + 5} rx="5" />`
    : html`<circle class=${name} r=${width / 2 + 3} />`;
}

// The places of a zone where a piece may go now.
function open(place, set, found, lit, touch) {
  const [width, height] = set?.size ?? [30, 30];
  return Object.keys(lit).filter((spot) => spot.slice(0, spot.lastIndexOf("/")) === `>${place.zone}`).map((spot) => {
    const [x, y, turned] = between(place, set, found, Number(spot.slice(spot.lastIndexOf("/") + 1)));
    return html`<g class=${`slot ${lit[spot]}`} data-spot=${spot} onClick=${() => touch(spot)} transform=${`translate(${x} ${y}) rotate(${turned})`}>
      ${outline(set, width, height, "glow")}
    </g>`;
  });
}

// x, y and degrees of a piece that comes to this index: in a row between its neighbours, or beyond its end.
function between(place, set, found, index) {
  if (place.order !== "row" || found.length === 0) return where(place, set, [{ index }])[0];
  const poses = where(place, set, found);
  const [first, last] = [poses[0], poses[poses.length - 1]];
  const [across, down] = set?.size ?? [30, 30];
  const angle = (place.direction * Math.PI) / 180;
  const step = found.length > 1 ? Math.hypot(last[0] - first[0], last[1] - first[1]) / (found.length - 1) : across + GAP_MM;
  const off = (index < found.length ? index - (index ? 0.5 : 1) : found.length) * step;
  return [first[0] + off * Math.cos(angle), first[1] + off * Math.sin(angle), lies(across, down, across, down)];
}

// x, y and degrees of each piece of a zone.
function where(place, set, found) {
  const [x, y, width, height] = place.box;
  const [across, down] = set?.size ?? [30, 30];
  const middle = [x + width / 2, y + height / 2];
  const along = (off, turned) => {
    const angle = (place.direction * Math.PI) / 180;
    return [middle[0] + off * Math.cos(angle), middle[1] + off * Math.sin(angle), turned];
  };
  const length = place.direction % 180 ? height : width;
  const turned = place.direction % 180;
  switch (place.order) {
    case "cells":
      return found.map(({ index }) => {
        const [left, top, wide, high] = place.cells[index] ?? place.box;
        return [left + wide / 2, top + high / 2, lies(wide, high, across, down)];
      });
    case "splay": {
      const step = Math.min(STRIP_MM, (length - Math.max(across, down)) / Math.max(found.length - 1, 1));
      return found.map((_, at) => along((at - (found.length - 1) / 2) * step, turned));
    }
    case "row": {
      const step = Math.min(across + GAP_MM, (length - across) / Math.max(found.length - 1, 1));
      return found.map((_, at) => along((at - (found.length - 1) / 2) * step, 0));
    }
    case "pile":
      return found.map(() => [...middle, lies(width, height, across, down)]);
    default:
      return spread(place.box, across, down, found.length);
  }
}

// Degrees at which a piece fits its place.
const lies = (wide, high, across, down) => ((wide > high) !== (across > down) && across !== down ? 90 : 0);

// Rows as even as can be, closer together where there is little room.
function spread([x, y, width, height], across, down, count) {
  const fitting = Math.max(1, Math.floor((width + GAP_MM) / (across + GAP_MM)));
  const rows = Math.max(1, Math.min(Math.ceil(count / fitting), Math.max(1, Math.floor(height / down))));
  const columns = Math.ceil(count / rows);
  const step = Math.min(across + GAP_MM, (width - across) / Math.max(columns - 1, 1));
  return Array.from({ length: count }, (_, at) => {
    const [row, column] = [Math.floor(at / columns), at % columns];
    const inRow = Math.min(columns, count - row * columns);
    return [
      x + width / 2 + (column - (inRow - 1) / 2) * step,
      y + height / 2 + (row - (rows - 1) / 2) * Math.min(down + GAP_MM, height / rows),
      0,
    ];
  });
}

// Who sits where, beside the mat.
function seats(mat, players, width, height) {
  const sides = sidesOf(mat);
  const sitting = sides[players.length] ?? sides[players.length > 2 ? 4 : 2] ?? {};
  return players.map(({ seat, name, colour, turn }) => {
    const edge = EDGES[sitting[seat]];
    if (!edge) return null;
    const [x, y] = edge(width, height);
    const turned = { left: -90, right: 90 }[sitting[seat]] ?? 0;
    return html`<text class=${turn ? "sitting turn" : "sitting"} dy="0.36em" transform=${`translate(${x} ${y}) rotate(${turned})`}>${sign(colour)} ${name}</text>`;
  });
}
