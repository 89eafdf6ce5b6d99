// The WebSocket of a page: JSON by its `is`; what is binary is a camera's frame. Opens again when it breaks.

import { language, say } from "./words.js";

const RETRY_MS = 1000;

export function connect(handlers, status) {
  let socket = null;

  function open() {
    const base = location.href.replace(/^http/, "ws").replace(/[#?].*$/, "");
    socket = new WebSocket(new URL(`link?lang=${language}`, base));
    socket.binaryType = "arraybuffer";
    socket.onopen = () => show("live");
    socket.onmessage = ({ data }) => (typeof data === "string" ? text(JSON.parse(data)) : binary(data));
    socket.onclose = () => {
      show("lost");
      setTimeout(open, RETRY_MS);
    };
  }

  function text(message) {
    handlers[message.is]?.(message);
  }

  function binary(data) {
    handlers.frame?.(new Blob([data], { type: "image/jpeg" }));
  }

  function show(state) {
    if (state === "lost") handlers.lost?.();
    status.dataset.state = state;
    status.textContent = say(state);
  }

  function send(data) {
    const open = socket.readyState === WebSocket.OPEN;
    if (open) socket.send(data);
    return open;
  }

  open();
  return Object.assign((message) => send(JSON.stringify(message)), { bytes: send });
}
