// What stands on the drawn mat: the zones' names, where they cover nothing, and at which edge each seat sits.

import { make } from "./pieces.js";

const LOW = 20;

// Names upright as their reader sees them: in the zone, or beside one that is too low or filled with cells. Where there
// is no room for one, the zone tells its name to whoever points at it.
export function captions(mat, words, angle, size) {
  const [width, height] = mat.size_mm;
  const seen = (box) => turned(box, angle);
  const sheet = seen({ x: 0, y: 0, width, height });
  const printed = [mat.white, mat.gray, ...mat.markers.map(({ x, y, side }) => ({ x, y, width: side, height: side }))];
  const zones = mat.zones.map(({ box }) => seen(box));
  const taken = printed.map(seen);
  return mat.zones.flatMap(({ name, cells }, at) => {
    const zone = zones[at];
    const aside = cells.length > 1 || zone.height < LOW;
    const fits = aside ? size : Math.min(size, (zone.width - 6) / length(words[name]));
    const room = { width: length(words[name]) * fits, height: fits };
    const others = [...zones.filter((each) => each !== zone), ...taken];
    const places = aside ? beside(zone, room) : [inner(zone, room)];
    const free = (box) => within(box, sheet) && !others.some((other) => overlap(box, other));
    const place = places.find(free);
    if (!place) return [];
    taken.push(place);
    return [caption(words[name], { x: place.x, y: place.y + fits * 0.82 }, angle, fits)];
  });
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

function inner({ x, y }, room) {
  return { x: x + 3, y: y + 2, ...room };
}

function beside({ x, y, width, height }, room) {
  const middle = y + (height - room.height) / 2;
  return [
    { x, y: y - room.height - 1, ...room },
    { x: x - room.width - 3, y: middle, ...room },
    { x: x + width + 3, y: middle, ...room },
    { x, y: y + height + 1, ...room },
  ];
}

function caption(words, reader, angle, size) {
  const { x, y } = rotate(reader.x, reader.y, -angle);
  const text = make("text", {
    class: "caption",
    transform: `translate(${x} ${y}) rotate(${-angle})`,
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
