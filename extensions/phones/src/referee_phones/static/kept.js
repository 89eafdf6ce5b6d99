// What this browser remembers, by name: a key, a name, switches. Where nothing may be kept, it holds until the page is
// closed: a phone that lost its key with every link would lose its seat.

// The name of a frame or tab begins with this where *Play*, which asks for names, gives the page in it its player's name.
export const NAMED = "named ";

// The name of a frame, by which the page in it knows that a lesson is wanted.
export const LEARNS = "learn";

export const isFromPlay = () => window.name.startsWith(NAMED) || window.name === LEARNS;

const here = new Map();
const FOLDER = location.pathname.replace(/[^/]*$/, "").slice(1); // where pages of several seats share one host

export function kept(called, otherwise = null) {
  const name = FOLDER + called;
  if (here.has(name)) return here.get(name);
  try {
    const found = localStorage.getItem(name);
    return found === null ? otherwise : JSON.parse(found);
  } catch {
    return otherwise;
  }
}

export function keep(called, value) {
  const name = FOLDER + called;
  here.delete(name);
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
  } catch {
    if (value !== null) here.set(name, value);
  }
}
