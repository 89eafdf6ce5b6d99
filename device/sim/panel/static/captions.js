// What stands on the drawn mat: the zones' names, where they cover nothing, and at which edge each seat sits.

import { make } from "./pieces.js";

const LOW = 20;
const GAP = 0.3;
const ASKEW = 2;
const SMALLER = [1, 0.85, 0.7, 0.65];

// Names upright as their reader sees them: in the zone, or beside one that is too low or filled with cells; beside one
// that is higher than wide also along it. Where there is little room they are smaller; where there is none, the zone
// tells its name to whoever points at it.
export function captions(mat, words, angle, size) {
  const [width, height] = mat.size_mm;
  const seen = (box) => turned(box, angle);
  const sheet = seen({ x: 0, y: 0, width, height });
  const printed = [mat.white, mat.gray, ...mat.markers.map(({ x, y, side }) => ({ x, y, width: side, height: side }))];
  const zones = mat.zones.map(({ box }) => seen(box));
  const taken = printed.map(seen);
  return mat.zones.flatMap(({ name, cells }, at) => {
    const own = cells.length > 1 ? cells.map(seen) : [];
    const others = [...zones.filter((_, other) => other !== at), ...own, ...taken];
    const free = ({ room }) => within(room, sheet) && !others.some((other) => overlap(room, other));
    const letters = length(words[name]);
    const [zone, sizes] = [zones[at], SMALLER.map((part) => size * part)];
    const place = [
      ...sizes.flatMap((each) => places(zone, cells.length, letters, each)),
      ...sizes.flatMap((each) => (roomy(zone, cells.length) ? [] : along(zone, letters * each, each, 0))),
    ].find(free);
    if (!place) return [];
    taken.push(place.room);
    return [caption(words[name], place, angle)];
  });
}

function roomy(zone, cells) {
  return cells < 2 && zone.height >= LOW;
}

// Where a name of so many letters may stand, the best place first.
function places(zone, cells, letters, size) {
  if (roomy(zone, cells)) {
    const fits = Math.min(size, (zone.width - 6) / letters);
    return [{ room: { x: zone.x + 3, y: zone.y + 2, width: letters * fits, height: fits }, size: fits }];
  }
  return [
    ...beside(zone, { width: letters * size, height: size }).map((room) => ({ room, size })),
    ...along(zone, letters * size, size, ASKEW),
  ];
}

// Each seat's letter outside the mat, at the edge where it sits.
export function sitting(mat, hello, angle) {
  const [width, height] = mat.size_mm;
  const edges = {
    bottom: [width / 2, height + 6],
    top: [width / 2, -6],
    left: [-6, height / 2],
    right: [width + 6, height / 2],
  };
  const where = sides(hello);
  return hello.seats.flatMap((seat) => {
    const [x, y] = edges[where[seat]] ?? [];
    if (x === undefined) return [];
    const text = make("text", {
      class: "sitting",
      transform: `translate(${x} ${y}) rotate(${-angle})`,
      "text-anchor": "middle",
      dy: "0.36em",
    });
    text.textContent = seat.toUpperCase();
    return [text];
  });
}

// At which edge of the mat each seat sits.
export function sides({ mat, seats }) {
  return mat.sides[seats.length] ?? mat.sides[seats.length > 2 ? 4 : 2] ?? {};
}

export function rotate(x, y, degrees) {
  const turn = (degrees * Math.PI) / 180;
  return { x: x * Math.cos(turn) - y * Math.sin(turn), y: x * Math.sin(turn) + y * Math.cos(turn) };
}

// The last place is the middle of a ring of cells.
function beside({ x, y, width, height }, room) {
  const [across, down] = [x + (width - room.width) / 2, y + (height - room.height) / 2];
  return [
    { x, y: y - room.height - GAP, ...room },
    { x: x - room.width - 3, y: down, ...room },
    { x: x + width + 3, y: down, ...room },
    { x, y: y + height + GAP, ...room },
    { x: across, y: down, ...room },
  ];
}

// Only beside a zone that is higher than wide. askew: room beyond the name for a card that lies so.
function along({ x, y, width, height }, length, size, askew) {
  if (height <= width) return [];
  const deep = GAP + size + askew;
  return [y, y + (height - length) / 2, y + height - length].flatMap((from) => [
    { room: { x: x - deep, y: from, width: deep, height: length }, size, upright: x - GAP - size },
    { room: { x: x + width, y: from, width: deep, height: length }, size, upright: x + width + GAP },
  ]);
}

// An upright one is read from below; its letters' tops are at `upright`.
function caption(words, { room, size, upright }, angle) {
  const start = upright !== undefined
    ? { x: upright + size * 0.82, y: room.y + room.height }
    : { x: room.x, y: room.y + size * 0.82 };
  const { x, y } = rotate(start.x, start.y, -angle);
  const text = make("text", {
    class: "caption",
    transform: `translate(${x} ${y}) rotate(${(upright !== undefined ? -90 : 0) - angle})`,
    "font-size": size,
  });
  text.textContent = words;
  return text;
}

// About as long as it is drawn, in sizes of its letters: ideographs fill a square.
function length(words) {
  return [...words].reduce((sum, letter) => sum + (letter > "\u2e80" ? 1 : 0.56), 0);
}

function turned({ x, y, width, height }, angle) {
  const one = rotate(x, y, angle);
  const two = rotate(x + width, y + height, angle);
  return {
    x: Math.min(one.x, two.x),
    y: Math.min(one.y, two.y),
    width: Math.abs(one.x - two.x),
    height: Math.abs(one.y - two.y),
  };
}

function overlap(one, two) {
  return (
    one.x < two.x + two.width && two.x < one.x + one.width && one.y < two.y + two.height && two.y < one.y + one.height
  );
}

function within(one, two) {
  return (
    one.x >= two.x && one.y >= two.y && one.x + one.width <= two.x + two.width && one.y + one.height <= two.y + two.height
  );
}
