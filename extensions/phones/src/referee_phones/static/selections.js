// What can be touched next, from the actions of a list: a pure function of what was picked. A pick is the key of a drawn
// thing ("line/0": a piece, ">line/0": a place, "#3": a sector, "=fleche-5": a card) or a word that was asked for
// ("~Survey": a verb, "~0~comets": the first word after it).

const FEW = 7;
const AGAIN = "…";

// The actions of a list, each with the keys of its things and with its words.
export const read = ({ touch }) => touch ? actions(touch) : [];

const actions = ({ things, words, patterns, moves }) => moves.map(([pattern, said, touched], at) => ({
  at,
  ...patterns[pattern],
  said: said.map((each) => words[each]),
  keys: touched.map((each) => things[each]),
}));

// Those of the actions that a lesson wants, each told by the words that it says; all, where it wants none of them. only: no
// list where all are welcome, an empty one where the lesson is read.
export function within(moves, only) {
  if (!only) return moves;
  const wanted = new Set(only.map(String));
  const found = moves.filter(({ verb, said }) => wanted.has(String([verb, ...said])));
  return found.length || !only.length ? found : moves;
}

const tokens = (move) => [...move.keys, `~${move.verb}`, ...move.said.map((word, at) => `~${at}~${word}`)];

export const sentence = ({ text }, said) => text.replace(/\{(\d+)\}/g, (_, number) => said[number - 1] ?? "");

// The lines of a list by which actions are chosen: their sentences, or their verbs.
export const linesOf = (moves) => moves.flatMap((move) => [sentence(move, move.said), move.verb]);

// lit: keys that may follow. others: keys that begin another action. buttons: { text, pick or move }. heading: what the
// buttons go on with. only: the one action that is left.
export function offer(moves, picks) {
  const fitting = moves.filter((move) => picks.every((pick) => tokens(move).includes(pick)));
  const whole = fitting.filter(({ keys }) => keys.every((key) => picks.includes(key)));
  const lit = new Set(fitting.flatMap(({ keys }) => next(keys.filter((key) => !picks.includes(key)))));
  const others = new Set(moves.flatMap(({ keys }) => next(keys)).filter((key) => !lit.has(key) && !picks.includes(key)));
  return { lit, others, ...asked(whole), only: fitting.length === 1 && whole.length === 1 ? whole[0] : null };
}

// A place follows once its pieces are picked.
function next(keys) {
  const first = keys.filter((key) => !key.startsWith(">"));
  return first.length ? first : keys;
}

function asked(moves) {
  const verbs = groups(moves, ({ verb }) => verb);
  const [first] = moves;
  const alike = moves.every(({ text }) => text === first.text);
  const places = first ? first.said.map((_, at) => at) : [];
  const differing = places.filter((at) => groups(moves, ({ said }) => said[at]).size > 1);
  if (moves.length < 2 || (!alike && moves.length <= FEW) || (verbs.size === 1 && !differing.length)) {
    return { heading: null, buttons: moves.map(button) };
  }
  if (verbs.size > 1) {
    const named = [...verbs].map(([verb, found]) => (found.length > 1 ? { text: `${verb} ${AGAIN}`, pick: `~${verb}` } : button(found[0])));
    return { heading: null, buttons: named };
  }
  const [at] = differing;
  const buttons = [...groups(moves, ({ said }) => said[at])].map(([word, found]) => {
    if (found.length > 1 && word) return { text: `${word} ${AGAIN}`, pick: `~${at}~${word}` };
    return { text: differing.map((place) => found[0].said[place]).filter(Boolean).join(", "), move: found[0] };
  });
  return { heading: alike ? sentence(first, first.said.map((word, place) => (differing.includes(place) ? AGAIN : word))) : first.verb, buttons };
}

const button = (move) => ({ text: sentence(move, move.said), move });

function groups(moves, by) {
  const found = new Map();
  for (const move of moves) found.set(by(move), [...(found.get(by(move)) ?? []), move]);
  return found;
}

// For each action, the touches that a player needs who means it and reads no list; null if it cannot be reached.
export function touches(moves) {
  const known = new Map();
  const offered = (picks) => {
    const key = picks.join("\n");
    if (!known.has(key)) known.set(key, offer(moves, picks));
    return known.get(key);
  };
  return moves.map((meant) => needed(meant, offered));
}

function needed(meant, offered) {
  let picks = [];
  for (let count = 1; count < 12; count++) {
    const { lit, buttons } = offered(picks);
    const key = next(meant.keys.filter((each) => !picks.includes(each)))[0];
    const pressed = key === undefined ? buttons.find(({ move, pick }) => move === meant || tokens(meant).includes(pick)) : null;
    if (key === undefined ? !pressed : !lit.has(key)) return null;
    if (pressed?.move) return count + (meant.costs && !meant.keys.length ? 1 : 0);
    picks = [...picks, key ?? pressed.pick];
    if (decided(offered(picks), picks) === meant) return count;
  }
  return null;
}

// The action that a touch carries out: after a single touch a button says first what it does.
export const done = (moves, picks) => decided(offer(moves, picks), picks);

// The action by which something from elsewhere comes to the place that was touched.
export function delivery(moves, picks) {
  const { only } = offer(moves, picks);
  return only && !only.costs && only.keys.length > 0 && only.keys.every((key) => key.startsWith(">")) ? only : null;
}

const decided = ({ only }, picks) => (only && picks.length > 1 && !only.costs ? only : null);
