// The table from above, in millimetres: pieces to drag, to turn over (double click) and to peek under (hold). Piles can
// be dragged whole, by their number; cards can be dragged into the hand.

import { captions, rotate, sides, sitting } from "./captions.js";
import { keys } from "./keys.js";
import { face, known, make, named } from "./pieces.js";
import { say } from "../shared/words.js";

const HOLD_MS = 450;
const SLACK_MM = 4;
const DOUBLE_MS = 350;
const PILED_MM = 6;
const NARROW = 500;
const TURN = { bottom: 0, right: 90, top: 180, left: -90 };

export function table(svg, send, hand, takes = () => false) {
  const ground = svg.appendChild(make("g", { class: "ground" }));
  const layer = svg.appendChild(make("g", { class: "pieces" }));
  const badges = svg.appendChild(make("g", { class: "badges" }));
  const bubble = svg.appendChild(make("g", { class: "bubble" }));
  const pieces = new Map();
  let art = {};
  let mat = null;
  let angle = 0;
  let grip = null;
  let tapped = { id: null, at: 0 };
  const typed = keys(svg, pieces, send, hand, () => angle);
  svg.addEventListener("lowered", lower);

  function setup(hello) {
    ({ art, mat } = hello);
    known(hello);
    angle = TURN[sides(hello)[hello.seat ?? "a"] ?? "bottom"];
    const [width, height] = mat.size_mm;
    const room = 12;
    const wide = angle % 180 === 0;
    const [w, h] = wide ? [width, height] : [height, width];
    svg.setAttribute("viewBox", `${(width - w) / 2 - room} ${(height - h) / 2 - room} ${w + 2 * room} ${h + 2 * room}`);
    for (const group of [ground, layer, badges, bubble]) {
      group.setAttribute("transform", `rotate(${angle} ${width / 2} ${height / 2})`);
    }
    ground.replaceChildren(...sheet(mat, hello, angle, svg.clientWidth < NARROW ? 11 : 8));
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
    badges.replaceChildren(...tall.map(({ top, count }) => badge(top, count, angle)));
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
      each.node.replaceChildren(...face(piece, art[piece.set]?.[piece.kind]));
      each.node.setAttribute("aria-label", piece.kind ? named(piece.set, piece.kind) : say("face-down"));
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
    const above = rotate(0, -piece.height * 1.7, -angle);
    bubble.replaceChildren(make("circle", { r: piece.height * 0.95, class: "halo" }), ...face(shown, art[piece.set]?.[kind]));
    const [width, height] = mat.size_mm;
    bubble.setAttribute(
      "transform",
      `rotate(${angle} ${width / 2} ${height / 2}) translate(${piece.x + above.x} ${piece.y + above.y}) rotate(${-angle})`,
    );
    bubble.dataset.kind = kind;
  }

  function lower() {
    bubble.replaceChildren();
    delete bubble.dataset.kind;
  }

  function at(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(ground.getScreenCTM().inverse());
    return { x: point.x, y: point.y };
  }

  svg.addEventListener("pointerdown", (event) => {
    const pile = event.target.closest(".badge");
    const node = pile ? pieces.get(pile.dataset.piece)?.node : event.target.closest(".piece");
    if (!node || grip || event.button > 0) return;
    event.preventDefault();
    svg.setPointerCapture(event.pointerId);
    const { piece } = pieces.get(node.dataset.piece);
    const from = at(event);
    const off = { x: piece.x - from.x, y: piece.y - from.y };
    grip = { id: piece.id, node, from, off, seat: hand(), dragging: false, pile: Boolean(pile) };
    grip.timer = setTimeout(() => {
      grip.peeking = true;
      send({ do: "peek", seat: grip.seat, piece: grip.id });
    }, HOLD_MS);
  });

  svg.addEventListener("pointermove", (event) => {
    if (!grip || grip.peeking) return;
    const here = at(event);
    if (!grip.dragging && Math.hypot(here.x - grip.from.x, here.y - grip.from.y) > SLACK_MM) {
      clearTimeout(grip.timer);
      grip.dragging = true;
      layer.append(grip.node);
      send({ do: "take", seat: grip.seat, piece: grip.id, pile: grip.pile });
    }
    if (grip.dragging) drag(here);
  });

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
function badge({ id, x, y, width, height, angle: lies }, count, angle) {
  const across = Math.abs(Math.sin(((lies + angle) * Math.PI) / 180)) > 0.7;
  const [w, h] = across ? [height, width] : [width, height];
  const corner = rotate(w / 2 - 4, 4 - h / 2, -angle);
  const group = make("g", {
    class: "badge",
    "data-piece": id,
    transform: `translate(${x + corner.x} ${y + corner.y}) rotate(${-angle})`,
  });
  const text = make("text", { "text-anchor": "middle", dy: "0.36em" });
  text.textContent = count;
  const title = make("title");
  title.textContent = say("pile", { count });
  group.append(title, make("circle", { r: 8.5 }), text);
  return group;
}

function sheet(mat, hello, angle, size) {
  const [width, height] = mat.size_mm;
  const box = ({ x, y, width: w, height: h }, name) => make("rect", { x, y, width: w, height: h, class: name });
  return [
    make("rect", { width, height, rx: 3, class: "mat" }),
    ...mat.zones.flatMap((zone) => [
      titled(box(zone.box, "zone"), hello.captions[zone.name]),
      ...zone.cells.map((cell) => titled(box(cell, "cell"), hello.captions[zone.name])),
    ]),
    ...captions(mat, hello.captions, angle, size),
    ...mat.markers.map(({ x, y, side }) => make("rect", { x, y, width: side, height: side, class: "marker" })),
    ...sitting(mat, hello, angle),
  ];
}

function titled(node, words) {
  node.append(Object.assign(make("title"), { textContent: words }));
  return node;
}

function place(node, x, y, angle) {
  node.setAttribute("transform", `translate(${x} ${y}) rotate(${angle})`);
}

