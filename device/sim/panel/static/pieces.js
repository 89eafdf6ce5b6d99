// How pieces look from above: stones and markers with their symbols, cards as they are printed.

const drawn = new Set();
let names = {};

export function known({ cards, names: called }) {
  names = called;
  drawn.clear();
  for (const [set, kinds] of Object.entries(cards)) for (const kind of kinds) drawn.add(`${set}/${kind}`);
  // All of them are asked for at once: what is fetched later would tell which card somebody holds.
  for (const name of drawn) new Image().src = `../static/faces/${name}.svg`;
}

// What people call a kind of pieces.
export function named(set, kind) {
  return names[set]?.[kind] ?? kind;
}

export function picture(set, kind) {
  return `../static/faces/${set}/${kind ?? "back"}.svg`;
}

export function face(piece, drawing) {
  const { width, height } = piece;
  if (drawn.has(`${piece.set}/back`)) return [card(piece, width, height)];
  const round = piece.shape === "disc";
  const plate = round
    ? make("circle", { r: width / 2, class: "plate" })
    : make("rect", { x: -width / 2, y: -height / 2, width, height, rx: 3, class: "plate" });
  if (!piece.kind) return [plate, make("circle", { r: Math.min(width, height) * 0.36, class: "back" })];
  return [plate, drawing ? symbol(drawing, Math.min(width, height)) : word(named(piece.set, piece.kind))];
}

function card({ set, kind }, width, height) {
  const group = make("g");
  const box = { x: -width / 2, y: -height / 2, width, height };
  const rim = make("rect", { ...box, rx: 2.5, class: "rim" });
  group.append(make("image", { ...box, href: picture(set, kind), class: "printed" }), rim);
  return group;
}

function symbol(drawing, width) {
  const scale = (width * 0.78) / 100;
  const group = make("g", { transform: `scale(${scale}) translate(-50 -50)` });
  for (const { fill, points, circle } of drawing.shapes) {
    const shape = circle
      ? make("circle", { cx: circle[0], cy: circle[1], r: circle[2] })
      : make("polygon", { points: points.map((point) => point.join(",")).join(" ") });
    shape.setAttribute("class", fill);
    if (fill === "ink" && drawing.ink) shape.style.fill = drawing.ink;
    group.append(shape);
  }
  return group;
}

function word(name) {
  const text = make("text", { class: "word", "text-anchor": "middle", dy: "0.35em" });
  text.textContent = name;
  return text;
}

export function make(name, attributes = {}) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}
