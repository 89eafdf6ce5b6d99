// The line under the table: what is wrong with it, or, for a moment, why a hand could not do what it was asked to do.

const BRIEFLY_MS = 4000;

export function told(node) {
  let trouble = "";
  let timer = 0;

  function show(text) {
    node.textContent = text;
    node.hidden = !text;
  }

  return {
    trouble: ({ text }) => {
      trouble = text;
      clearTimeout(timer);
      show(trouble);
    },
    refused: ({ text }) => {
      clearTimeout(timer);
      show(text);
      timer = setTimeout(() => show(trouble), BRIEFLY_MS);
    },
  };
}
