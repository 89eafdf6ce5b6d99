// The table from above, in millimetres: pieces to drag, to turn over (double click) and to peek under (hold). Piles can
// be dragged whole, by their number; cards can be dragged into the hand.

import { captions } from "../captions.js";
import { piece as drawn, setNamed } from "../pictures.js";
import { html, render } from "../view.js";
import { keys, pieceOf } from "./keys.js";
import { say } from "./speech.js";

const HOLD_MS = 450;
const SLACK_MM = 4;
const DOUBLE_MS = 350;
const PILED_MM = 6;
const ROOM_MM = 12;

export function table(svg, send, hand, takes = () => false) {
  const ground = svg.appendChild(make("g", { class: "ground" }));
  const layer = svg.appendChild(make("g", { class: "pieces" }));
  const badges = svg.appendChild(make("g", { class: "badges" }));
  const bubble = svg.appendChild(make("g", { class: "bubble" }));
  const pieces = new Map();
  let names = {};
  let grip = null;
  let tapped = { id: null, at: 0 };
  const typed = keys(svg, pieces, send, hand);
  svg.addEventListener("lowered", lower);

  function setup(hello) {
    ({ names } = hello);
    const [width, height] = hello.mat.size_mm;
    svg.setAttribute("viewBox", `${-ROOM_MM} ${-ROOM_MM} ${width + 2 * ROOM_MM} ${height + 2 * ROOM_MM}`);
    render(sheet(hello), ground);
  }

  function update(list) {
    typed.keep(() => lie(list));
  }

  function lie(list) {
    const seen = new Set(list.map(({ id }) => id));
    for (const [id, each] of pieces) {
      if (!seen.has(id)) {
        each.node.remove();
        pieces.delete(id);
      }
    }
    for (const piece of list) put(piece);
    // Whatever was touched last lies uppermost.
    const order = list.filter(({ id }) => !(grip?.dragging && grip.id === id)).map(({ id }) => pieces.get(id).node);
    order.forEach((node, at) => layer.children[at] !== node && layer.insertBefore(node, layer.children[at] ?? null));
    number(list);
  }

  // On a pile stands how many cards it has.
  function number(list) {
    const piles = [];
    for (const piece of list) {
      if (piece.held || piece.shape === "disc") continue;
      const pile = piles.find(({ top }) => near(top, piece));
      if (pile) Object.assign(pile, { top: piece, count: pile.count + 1 });
      else piles.push({ top: piece, count: 1 });
    }
    const tall = piles.filter(({ count }) => count > 2);
    render(tall.map(({ top, count }) => badge(top, count)), badges);
  }

  function put(piece) {
    let each = pieces.get(piece.id);
    if (!each) {
      each = { node: layer.appendChild(make("g", { class: "piece", role: "button", tabindex: -1, "data-piece": piece.id })) };
      pieces.set(piece.id, each);
    }
    const look = `${piece.set} ${piece.kind} ${piece.shape}`;
    if (each.look !== look) {
      each.look = look;
      render(face(piece), each.node);
      each.node.setAttribute("aria-label", piece.kind ? named(piece) : say("face-down"));
      each.node.dataset.kind = piece.kind ?? "";
    }
    each.piece = piece;
    each.node.classList.toggle("held", piece.held);
    if (grip?.id !== piece.id || !grip.dragging) place(each.node, piece.x, piece.y, piece.angle);
  }

  function peeked({ piece: id, kind }) {
    const each = pieces.get(id);
    if (!each || (grip?.id ?? typed.peeking()) !== id) return;
    const { piece } = each;
    const shown = { ...piece, kind };
    render(html`<circle class="halo" r=${piece.height * 0.95} />${face(shown)}`, bubble);
    bubble.setAttribute("transform", `translate(${piece.x} ${piece.y - piece.height * 1.7})`);
    bubble.dataset.kind = kind;
  }

  function lower() {
    render(null, bubble);
    delete bubble.dataset.kind;
  }

  function named({ set, kind }) {
    return names[set]?.[kind] ?? kind;
  }

  function face(piece) {
    return drawn({ ...setNamed(piece.set), size: [piece.width, piece.height] }, piece.kind, named(piece));
  }

  function at(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(ground.getScreenCTM().inverse());
    return { x: point.x, y: point.y };
  }

  svg.addEventListener("pointerdown", (event) => {
    const pile = event.target.closest(".badge");
    const id = pieceOf(event.target);
    const node = pieces.get(id)?.node;
    if (!node || grip || event.button > 0) return;
    event.preventDefault();
    svg.setPointerCapture(event.pointerId);
    const { piece } = pieces.get(id);
    const from = at(event);
    const off = { x: piece.x - from.x, y: piece.y - from.y };
    grip = { id: piece.id, node, from, off, seat: hand(), dragging: false, pile: Boolean(pile) };
    // What the pointer did meanwhile comes before the next frame, also where the browser is late.
    const mine = grip;
    grip.timer = setTimeout(() => requestAnimationFrame(() => grip === mine && !mine.dragging && peek()), HOLD_MS);
  });

  svg.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const here = at(event);
    if (!grip.dragging && Math.hypot(here.x - grip.from.x, here.y - grip.from.y) > SLACK_MM) {
      clearTimeout(grip.timer);
      if (grip.peeking) unpeek();
      grip.dragging = true;
      layer.append(grip.node);
      send({ do: "take", seat: grip.seat, piece: grip.id, pile: grip.pile });
    }
    if (grip.dragging) drag(here);
  });

  function peek() {
    grip.peeking = true;
    send({ do: "peek", seat: grip.seat, piece: grip.id });
  }

  // Whoever moves a piece drags it, however long it was held before.
  function unpeek() {
    grip.peeking = false;
    send({ do: "lower", seat: grip.seat });
    lower();
  }

  function drag(here) {
    grip.x = here.x + grip.off.x;
    grip.y = here.y + grip.off.y;
    place(grip.node, grip.x, grip.y, pieces.get(grip.id)?.piece.angle ?? 0);
    if (grip.waiting) return;
    grip.waiting = requestAnimationFrame(() => {
      if (!grip) return;
      grip.waiting = 0;
      send({ do: "carry", seat: grip.seat, x: grip.x, y: grip.y });
    });
  }

  function finish(event) {
    if (!grip) return;
    const done = grip;
    grip = null;
    clearTimeout(done.timer);
    if (done.dragging && takes(event.clientX, event.clientY)) send({ do: "keep", seat: done.seat });
    else if (done.dragging) send({ do: "drop", seat: done.seat, x: done.x, y: done.y });
    else if (done.peeking) send({ do: "lower", seat: done.seat });
    else tap(done, event.timeStamp);
    lower();
  }

  // The hand could not do it: the piece is shown where it lies.
  function refused({ piece: id }) {
    if (grip?.id === id) {
      clearTimeout(grip.timer);
      grip = null;
      lower();
    }
    typed.forget(id);
    const each = pieces.get(id);
    if (each) place(each.node, each.piece.x, each.piece.y, each.piece.angle);
  }

  // By the time of the finger, not of a busy browser.
  function tap({ id, seat }, now) {
    const twice = tapped.id === id && now - tapped.at < DOUBLE_MS;
    tapped = twice ? { id: null, at: 0 } : { id, at: now };
    if (twice) send({ do: "flip", seat, piece: id });
  }

  svg.addEventListener("pointerup", finish);
  svg.addEventListener("pointercancel", finish);
  svg.addEventListener("contextmenu", (event) => event.preventDefault());

  function contains(x, y) {
    const box = svg.getBoundingClientRect();
    return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
  }

  return { setup, update, peeked, refused, at, contains };
}

function near(one, other) {
  return one.set === other.set && Math.hypot(one.x - other.x, one.y - other.y) < PILED_MM;
}

// At the upper right corner of the pile, as its reader sees it.
function badge({ id, x, y, width, height, angle }, count) {
  const across = Math.abs(Math.sin((angle * Math.PI) / 180)) > 0.7;
  const [w, h] = across ? [height, width] : [width, height];
  return html`<g key=${id} class="badge" data-piece=${id} transform=${`translate(${x + w / 2 - 4} ${y + 4 - h / 2})`}>
    <title>${say("pile", { count })}</title>
    <circle r="8.5" /><text text-anchor="middle" dy="0.36em">${count}</text>
  </g>`;
}

// The mat with the names of its zones; where there is no room for one, the zone tells it to whoever points at it.
function sheet({ mat, captions: titles }) {
  const [width, height] = mat.size_mm;
  const list = ({ x, y, width: across, height: down }) => [x, y, across, down];
  const places = mat.zones.map(({ name, box, cells }) => ({ box: list(box), cells: cells.map(list), title: titles[name] }));
  const outline = ([x, y, across, down], title) => html`<rect x=${x} y=${y} width=${across} height=${down}><title>${title}</title></rect>`;
  return html`<rect class="mat" width=${width} height=${height} rx="3" />
    ${places.map(({ box, cells, title }) => html`<g class="zone">${[box, ...cells].map((each) => outline(each, title))}</g>`)}
    ${captions({ places, size_mm: mat.size_mm }, 0).map(({ title, x, y, size, upright }) => html`<text class="caption" font-size=${size} transform=${`translate(${x} ${y})${upright ? " rotate(-90)" : ""}`}>${title}</text>`)}
    ${mat.markers.map(({ x, y, side }) => html`<rect class="marker" x=${x} y=${y} width=${side} height=${side} />`)}`;
}

function place(node, x, y, angle) {
  node.setAttribute("transform", `translate(${x} ${y}) rotate(${angle})`);
}

function make(name, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}
