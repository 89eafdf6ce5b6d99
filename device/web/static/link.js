// The WebSocket to the panel: JSON by its `is`, frames and displays by their first byte. Opens again when it breaks.

import { language, say } from "./words.js";

const FRAME = 1;
const SCREEN = 2;
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
    const bytes = new Uint8Array(data);
    if (bytes[0] === FRAME) {
      handlers.frame?.(new Blob([bytes.subarray(1)], { type: "image/jpeg" }));
    } else if (bytes[0] === SCREEN) {
      const end = 2 + bytes[1];
      const name = new TextDecoder().decode(bytes.subarray(2, end));
      const view = new DataView(data, end);
      handlers.screen?.({ name, width: view.getUint16(0), height: view.getUint16(2), bits: bytes.subarray(end + 4) });
    }
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
