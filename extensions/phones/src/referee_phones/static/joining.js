// How a phone gets its seat: with the code of its address once, with its own key ever after.

import { agree, number, opened, proof } from "./handshake.js";
import { keep, kept } from "./kept.js";

const LONGEST = 64;
const NUMBER = /^\d{1,15}$/; // a code has 16 characters

// Why something is not taken just now.
export const PASSING = ["stale", "busy", "full", "away", "name"];

const RETRIED = [...PASSING, "unkept", "crowded", "off"]; // what was said may be right

// What stands behind the mark of the address, whatever became of it on the way here: the table says whether it is one.
export function code() {
  return location.hash.slice(1).replace(/[\s-]/g, "").toUpperCase().slice(0, LONGEST);
}

export const may = () => seated() || Boolean(code());

// What to say on a link with this challenge; null if this phone has neither a seat nor a code. Its key is kept before the
// table has it: if the link drops just then, this phone comes back with the key.
export function greeting(challenge) {
  if (seated()) return { prove: proof(kept("key"), challenge) };
  if (!code()) return null;
  const { key, ...said } = agree(code(), challenge);
  keep("key", key);
  keep("seated", true);
  return NUMBER.test(code()) ? { ...said, number: true } : said;
}

// The code is spent: it goes from the address.
export function joined() {
  history.replaceState(null, "", location.pathname + location.search);
}

// A seat that is another's now is forgotten, and a code that is not taken goes from the address. greeting: what was said
// on this link, null if it was answered before.
export function refused(why, greeting) {
  const retried = RETRIED.includes(why);
  if (greeting?.join || !retried) leave();
  if (greeting?.join && !retried) joined();
}

export function leave() {
  keep("key", null);
  keep("seated", null);
}

export const seated = () => Boolean(kept("seated"));

// By which another phone takes this one's seat.
export const spare = () => (kept("key") ? number(kept("key")) : null);

// Codes that this seat's page was asked for, as they are scanned: only this phone can read them.
export function codes(sealed) {
  return sealed.map((each) => {
    const [way, text] = each.address.split("#");
    return { ...each, address: `${way}#${opened(kept("key", ""), text)}` };
  });
}
