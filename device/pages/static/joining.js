// How a phone gets its seat: with the code of its address once, with its own key ever after.

import { keep, kept } from "./kept.js";

const BYTES = 16;
const LONGEST = 64;
const RETRIED = ["full", "unkept", "crowded", "off"];

// What stands behind the mark of the address, whatever became of it on the way here: the table says whether it is one.
export function code() {
  return location.hash.slice(1).trim().toUpperCase().slice(0, LONGEST);
}

export const may = () => Boolean(code()) || seated();

// What to say on a new link; null if this phone has neither a code nor a seat.
export function greeting() {
  const given = code();
  if (given) return { join: given, key: kept("key") ?? made() };
  return seated() ? { back: kept("key") } : null;
}

// The code is spent: it goes from the address, so that a reload asks with the key.
export function joined() {
  keep("seated", true);
  history.replaceState(null, "", location.pathname + location.search);
}

// A code that is not taken goes from the address; a seat that is another's now is forgotten.
export function refused(why) {
  if (RETRIED.includes(why)) return;
  if (code()) history.replaceState(null, "", location.pathname + location.search);
  else leave();
}

export function leave() {
  keep("key", null);
  keep("seated", null);
}

export const seated = () => Boolean(kept("seated"));

function made() {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  const key = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  keep("key", key);
  return key;
}
