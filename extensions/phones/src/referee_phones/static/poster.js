// A picture of how a match ended, to keep or to pass on: drawn here, from what the page shows.

import { SHAPES } from "./mark.js";
import { encode } from "./vendor/uqr.js";
import { say } from "./words.js";

const SIDE = 1080;
const HIGH = 1350;
const EDGE = 90;
const PIECE = 230;
const CODE = 230;
const COLOURS = { ground: "#f2efe8", card: "#fffdf9", ink: "#1f2628", quiet: "#5d6361", accent: "#2f6146" };
// Stand for the players' marks in a line of words; names have no such characters.
const MARKS = { blue: "\u0001", red: "\u0002", yellow: "\u0003", green: "\u0004" };
const MARKED = /([\u0001-\u0004])/;
const MARK_WIDE = 0.95;
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif';

// game: its name. winners, players: each with name and colour. result: a sentence. pieces: the page's own drawings (SVG elements). facts: lines.
// begun: seconds since 1970, null if unknown. heads: lines that `referee verify` compares with the match's record; empty where none was signed.
export function poster({ game, winners, players, result, pieces, facts, begun, heads }) {
  const canvas = Object.assign(document.createElement("canvas"), { width: SIDE, height: HIGH });
  const paint = canvas.getContext("2d");
  paint.fillStyle = COLOURS.ground;
  paint.fillRect(0, 0, SIDE, HIGH);
  paint.fillStyle = COLOURS.accent;
  paint.fillRect(0, 0, SIDE, 24);
  paint.textAlign = "center";
  let y = 120;
  y = text(paint, game, y, 48, COLOURS.quiet);
  if (winners.length) {
    y = text(paint, say("won-by"), y + 30, 36, COLOURS.quiet);
    y = text(paint, winners.map(called).join(", "), y + 50, 110, COLOURS.accent, 700);
  }
  y = text(paint, result, y + 10, 40, COLOURS.ink, 600);
  if (pieces.length) y = row(paint, pieces, y + 10);
  y = text(paint, players.map(called).join(" – "), y + 30, 40, COLOURS.ink, 600);
  const day = begun && new Date(begun * 1000).toLocaleDateString(document.documentElement.lang, { dateStyle: "long" });
  for (const fact of [...facts, ...(day ? [day] : [])]) y = text(paint, fact, y, 32, COLOURS.quiet);
  if (heads.length) code(paint, heads.join("\n"));
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

const called = ({ name, colour }) => `${MARKS[colour] ?? ""}${name}`;

// Lines of words about the middle, smaller where a word is too wide. Returns the next line's place.
function text(paint, words, y, size, colour, weight = 400) {
  if (!words) return y;
  const wide = SIDE - 2 * EDGE;
  const set = (height) => (paint.font = `${weight} ${height}px ${FONT}`);
  set(size);
  const lines = [""];
  for (const word of words.match(/[^\s\u3000-\u9fff]*[\s\u3000-\u9fff]|[^\s\u3000-\u9fff]+/g)) {
    const last = lines[lines.length - 1];
    if (last && width(paint, last + word, size) > wide) lines.push(word);
    else lines[lines.length - 1] = last + word;
  }
  const most = Math.max(...lines.map((line) => width(paint, line, size)));
  const shown = most > wide ? (size * wide) / most : size;
  set(shown);
  lines.forEach((line, at) => put(paint, line.trim(), y + at * shown * 1.3, shown, colour));
  return y + lines.length * shown * 1.3 + 10;
}

const width = (paint, line, size) => line.split(MARKED).reduce((sum, part) => sum + (MARKED.test(part) ? MARK_WIDE * size : paint.measureText(part).width), 0);

// One line about the middle.
function put(paint, line, y, size, colour) {
  const parts = line.split(MARKED);
  if (parts.length === 1) {
    paint.fillStyle = colour;
    paint.fillText(line, SIDE / 2, y);
    return;
  }
  let x = (SIDE - width(paint, line, size)) / 2;
  paint.textAlign = "left";
  for (const part of parts) {
    if (MARKED.test(part)) mark(paint, Object.keys(MARKS).find((each) => MARKS[each] === part), x, y, size);
    else {
      paint.fillStyle = colour;
      paint.fillText(part, x, y);
    }
    x += width(paint, part, size);
  }
  paint.textAlign = "center";
}

// As the pages show it, on a line of words of this size.
function mark(paint, colour, x, y, size) {
  paint.save();
  paint.translate(x, y - 0.72 * size);
  paint.scale((0.75 * size) / 16, (0.75 * size) / 16);
  paint.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${colour}`);
  paint.strokeStyle = COLOURS.ink;
  paint.lineWidth = 1.5;
  paint.lineJoin = "round";
  paint.fill(new Path2D(SHAPES[colour]));
  paint.stroke(new Path2D(SHAPES[colour]));
  paint.restore();
}

// The page's drawings side by side: each shape with the colours that it has there.
function row(paint, pieces, top) {
  const boxes = pieces.map((each) => each.viewBox.baseVal);
  const scale = Math.min(...boxes.map(({ height }) => PIECE / height), (SIDE - 2 * EDGE) / boxes.reduce((sum, { width }) => sum + width * 1.1, 0));
  let left = SIDE / 2 - (scale * boxes.reduce((sum, { width }) => sum + width * 1.1, 0)) / 2;
  pieces.forEach((svg, at) => {
    const { x, y, width } = boxes[at];
    paint.save();
    paint.translate(left, top);
    paint.scale(scale, scale);
    paint.translate(-x, -y);
    const shapes = [...svg.querySelectorAll("circle, polygon, rect, path, text")];
    for (const shape of shapes) draw(paint, svg, shape);
    paint.restore();
    left += scale * width * 1.1;
  });
  return top + PIECE + 40;
}

function draw(paint, svg, shape) {
  const style = getComputedStyle(shape);
  const { a, b, c, d, e, f } = svg.firstElementChild.getScreenCTM().inverse().multiply(shape.getScreenCTM());
  paint.save();
  paint.transform(a, b, c, d, e, f);
  paint.globalAlpha = Number(style.opacity);
  paint.fillStyle = style.fill;
  if (shape.tagName === "text") {
    paint.font = `${style.fontWeight} ${style.fontSize} ${FONT}`;
    paint.textAlign = style.textAnchor === "start" ? "left" : "center";
    paint.fillText(shape.textContent, number(shape, "x"), number(shape, "y") + Number.parseFloat(shape.getAttribute("dy") ?? 0) * Number.parseFloat(style.fontSize));
  } else {
    const path = outline(shape);
    if (style.fill !== "none") paint.fill(path);
    if (style.stroke !== "none") {
      paint.strokeStyle = style.stroke;
      paint.lineWidth = Number.parseFloat(style.strokeWidth);
      paint.stroke(path);
    }
  }
  paint.restore();
}

const number = (shape, name) => Number(shape.getAttribute(name) ?? 0);

function outline(shape) {
  const path = new Path2D(shape.tagName === "polygon" ? `M${shape.getAttribute("points")}Z` : (shape.getAttribute("d") ?? ""));
  if (shape.tagName === "circle") path.arc(number(shape, "cx"), number(shape, "cy"), number(shape, "r"), 0, 2 * Math.PI);
  if (shape.tagName === "rect") path.rect(...["x", "y", "width", "height"].map((name) => number(shape, name)));
  return path;
}

function code(paint, words) {
  const { data, size } = encode(words, { ecc: "M", border: 4 });
  const module = Math.floor(CODE / size);
  const [left, top] = [Math.round((SIDE - module * size) / 2), HIGH - 50 - module * size];
  paint.fillStyle = "#ffffff";
  paint.fillRect(left, top, module * size, module * size);
  paint.fillStyle = "#000000";
  data.forEach((line, y) => line.forEach((dark, x) => dark && paint.fillRect(left + x * module, top + y * module, module, module)));
}

// Hands the picture to the device's own sharing, where it has one; else it is downloaded.
export async function share(picture, name) {
  const file = new File([picture], `${name}.png`, { type: "image/png" });
  if (navigator.canShare?.({ files: [file] })) return navigator.share({ files: [file], title: name }).catch(() => {});
  download(URL.createObjectURL(file), file.name);
}

// address: of an object, which is dropped later.
export function download(address, name) {
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
