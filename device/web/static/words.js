// The words of the page in its language: the server has put them into it.

const words = JSON.parse(document.getElementById("words").textContent);

document.getElementById("instead")?.remove();

export const language = document.documentElement.lang;

export function say(key, fields = {}) {
  return words[key].replace(/\{(\w+)\}/g, (_, name) => fields[name]);
}

export function number(value, places = 2) {
  return value.toLocaleString(language, { maximumFractionDigits: places, useGrouping: false });
}

// Another language is another address, so that a reload keeps it.
document.getElementById("language").addEventListener("change", ({ target }) => target.form.submit());
