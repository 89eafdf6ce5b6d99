// Where the zones' names stand on the drawn mat: where they cover neither a zone nor another name.

const SMALLER = [9, 7.5, 6.2];
const LEAST_PX = 11;
const LOW_MM = 46;
const GAP_MM = 2;
const TALLER = 1.6;

// A name for each zone that has room for one: {title, x, y (its base line), size, upright}. scale: pixels of a millimetre;
// nothing smaller than can be read is written.
export function captions({ places, size_mm: [width, height] }, margin, scale = Infinity) {
  const sizes = [...new Set(SMALLER.map((size) => Math.max(size, LEAST_PX / scale)))];
  const sheet = { x: -margin, y: -margin, width: width + 2 * margin, height: height + 2 * margin };
  const zones = places.map(({ box: [x, y, across, down] }) => ({ x, y, width: across, height: down }));
  const taken = [];
  return places.flatMap(({ title, cells }, at) => {
    const others = zones.filter((_, other) => other !== at);
    const inside = cells.length < 2 && zones[at].height >= LOW_MM;
    const free = ({ room, own }) =>
      within(room, sheet) && ![...others, ...(own ? [] : [zones[at]]), ...taken].some((each) => overlap(room, each));
    const found = sizes.flatMap((size) => spots(zones[at], length(title) * size, size, inside)).find(free);
    if (!found) return [];
    taken.push(found.room);
    const { room, size, upright } = found;
    return [{ title, size, upright, x: room.x + (upright ? size * 0.8 : 0), y: room.y + (upright ? room.height : size * 0.8) }];
  });
}

// The best first: above, below, at the left or the right of it; inside; last along a side of one that is high.
function spots(zone, length, size, inside) {
  const flat = { width: length, height: size };
  const along = { width: size, height: length };
  const middle = zone.y + (zone.height - size) / 2;
  const beside = [
    { room: { x: zone.x - size - GAP_MM, y: zone.y, ...along }, size, upright: true },
    { room: { x: zone.x + zone.width + GAP_MM, y: zone.y, ...along }, size, upright: true },
  ];
  const list = [
    { room: { x: zone.x, y: zone.y - size - GAP_MM, ...flat }, size },
    { room: { x: zone.x - length - GAP_MM, y: middle, ...flat }, size },
    { room: { x: zone.x + zone.width + GAP_MM, y: middle, ...flat }, size },
    { room: { x: zone.x, y: zone.y + zone.height + GAP_MM, ...flat }, size },
    ...(length < TALLER * zone.height ? beside : []),
  ];
  if (inside && length < zone.width - 2 * GAP_MM) list.push({ room: { x: zone.x + GAP_MM, y: zone.y + GAP_MM, ...flat }, size, own: true });
  return list;
}

// About as long as it is drawn, in sizes of its letters: ideographs fill a square, Cyrillic letters are wide.
export function length(words) {
  return [...words].reduce((sum, letter) => sum + (letter > "\u2e80" ? 1 : letter >= "\u0400" ? 0.72 : 0.56), 0);
}

function overlap(one, two) {
  return one.x < two.x + two.width && two.x < one.x + one.width && one.y < two.y + two.height && two.y < one.y + one.height;
}

function within(one, two) {
  return one.x >= two.x && one.y >= two.y && one.x + one.width <= two.x + two.width && one.y + one.height <= two.y + two.height;
}
