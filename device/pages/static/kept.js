// What this browser remembers, by name: a key, a name, switches. Where nothing may be kept, the page does without.

export function kept(name, otherwise = null) {
  try {
    const found = localStorage.getItem(name);
    return found === null ? otherwise : JSON.parse(found);
  } catch {
    return otherwise;
  }
}

export function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Private windows keep nothing: what was chosen holds until they are closed.
  }
}
