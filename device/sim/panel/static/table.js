// The table from above, in millimetres: pieces to drag, to turn over (double click) and to peek under (hold).

const HOLD_MS = 450;
const SLACK_MM = 4;
const DOUBLE_MS = 350;
const TURN = { bottom: 0, right: 90, top: 180, left: -90 };

export function table(svg, send, hand) {
  const ground = svg.appendChild(make("g", { class: "ground" }));
  const layer = svg.appendChild(make("g", { class: "pieces" }));
  const bubble = svg.appendChild(make("g", { class: "bubble" }));
  const pieces = new Map();
  let art = {};
  let mat = null;
  let angle = 0;
  let grip = null;
  let tapped = { id: null, at: 0 };

  function setup(hello) {
    ({ art, mat } = hello);
    const side = mat.sides[hello.seats.length > 2 ? 4 : 2]?.[hello.seat ?? "a"] ?? "bottom";
    angle = TURN[side];
    const [width, height] = mat.size_mm;
    const room = 12;
    const wide = angle % 180 === 0;
    const [w, h] = wide ? [width, height] : [height, width];
    svg.setAttribute("viewBox", `${(width - w) / 2 - room} ${(height - h) / 2 - room} ${w + 2 * room} ${h + 2 * room}`);
    for (const group of [ground, layer, bubble]) {
      group.setAttribute("transform", `rotate(${angle} ${width / 2} ${height / 2})`);
    }
    ground.replaceChildren(...sheet(mat));
  }

  function update(list) {
    const seen = new Set(list.map(({ id }) => id));
    for (const [id, each] of pieces) {
      if (!seen.has(id)) {
        each.node.remove();
        pieces.delete(id);
      }
    }
    for (const piece of list) put(piece);
  }

  function put(piece) {
    let each = pieces.get(piece.id);
    if (!each) {
      each = { node: layer.appendChild(make("g", { class: "piece", tabindex: 0, "data-piece": piece.id })) };
      pieces.set(piece.id, each);
    }
    const look = `${piece.set} ${piece.kind} ${piece.shape}`;
    if (each.look !== look) {
      each.look = look;
      each.node.replaceChildren(...face(piece, art[piece.set]?.[piece.kind]));
      each.node.setAttribute("aria-label", piece.kind ?? "face down");
      each.node.dataset.kind = piece.kind ?? "";
    }
    each.piece = piece;
    each.node.classList.toggle("held", piece.held);
    if (grip?.id !== piece.id || !grip.dragging) place(each.node, piece.x, piece.y, piece.angle);
  }

  function peeked({ piece: id, kind }) {
    const each = pieces.get(id);
    if (!each || grip?.id !== id) return;
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
    const node = event.target.closest(".piece");
    if (!node || grip || event.button > 0) return;
    event.preventDefault();
    svg.setPointerCapture(event.pointerId);
    const { piece } = pieces.get(node.dataset.piece);
    const from = at(event);
    grip = { id: piece.id, node, from, off: { x: piece.x - from.x, y: piece.y - from.y }, seat: hand(), dragging: false };
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
      send({ do: "take", seat: grip.seat, piece: grip.id });
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

  function finish() {
    if (!grip) return;
    const done = grip;
    grip = null;
    clearTimeout(done.timer);
    if (done.dragging) send({ do: "drop", seat: done.seat, x: done.x, y: done.y });
    else if (done.peeking) send({ do: "lower", seat: done.seat });
    else tap(done);
    lower();
  }

  function tap({ id, seat }) {
    const now = performance.now();
    const twice = tapped.id === id && now - tapped.at < DOUBLE_MS;
    tapped = twice ? { id: null, at: 0 } : { id, at: now };
    if (twice) send({ do: "flip", seat, piece: id });
  }

  svg.addEventListener("pointerup", finish);
  svg.addEventListener("pointercancel", finish);
  svg.addEventListener("contextmenu", (event) => event.preventDefault());
  return { setup, update, peeked };
}

function sheet(mat) {
  const [width, height] = mat.size_mm;
  const box = ({ x, y, width: w, height: h }, name) => make("rect", { x, y, width: w, height: h, class: name });
  return [
    make("rect", { width, height, rx: 3, class: "mat" }),
    ...mat.zones.flatMap((zone) => [box(zone.box, "zone"), ...zone.cells.map((cell) => box(cell, "cell"))]),
    ...mat.markers.map(({ x, y, side }) => make("rect", { x, y, width: side, height: side, class: "marker" })),
  ];
}

function face(piece, drawing) {
  const round = piece.shape === "disc";
  const { width, height } = piece;
  const plate = round
    ? make("circle", { r: width / 2, class: "plate" })
    : make("rect", { x: -width / 2, y: -height / 2, width, height, rx: 3, class: "plate" });
  if (!piece.kind) return [plate, make("circle", { r: Math.min(width, height) * 0.36, class: "back" })];
  return [plate, drawing ? symbol(drawing, width) : word(piece.kind)];
}

function symbol(drawing, width) {
  const scale = (width * 0.78) / 100;
  const group = make("g", { transform: `scale(${scale}) translate(-50 -50)` });
  for (const { fill, points, circle } of drawing.shapes) {
    const shape = circle
      ? make("circle", { cx: circle[0], cy: circle[1], r: circle[2] })
      : make("polygon", { points: points.map((point) => point.join(",")).join(" ") });
    shape.setAttribute("class", fill);
    group.append(shape);
  }
  return group;
}

function word(kind) {
  const text = make("text", { class: "word", "text-anchor": "middle", dy: "0.35em" });
  text.textContent = kind;
  return text;
}

function place(node, x, y, angle) {
  node.setAttribute("transform", `translate(${x} ${y}) rotate(${angle})`);
}

function rotate(x, y, degrees) {
  const turn = (degrees * Math.PI) / 180;
  return { x: x * Math.cos(turn) - y * Math.sin(turn), y: x * Math.sin(turn) + y * Math.cos(turn) };
}

function make(name, attributes = {}) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}
