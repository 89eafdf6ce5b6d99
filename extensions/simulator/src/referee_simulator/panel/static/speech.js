// The words that came over the link.

let words = {};

export function learn(list) {
  words = list;
}

export function say(key, fields = {}) {
  return (words[key] ?? "").replace(/\{(\w+)\}/g, (_, name) => fields[name] ?? "");
}

export function number(value, places = 2) {
  return value.toLocaleString(document.documentElement.lang, { maximumFractionDigits: places, useGrouping: false });
}
