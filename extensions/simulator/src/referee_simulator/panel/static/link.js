// The WebSocket to the simulator: JSON by its `is`, frames and displays by their first byte. Opens again when it breaks.

import { language } from "../words.js";

const FRAME = 1;
const SCREEN = 2;
const RETRY_MS = 1000;

// hears: a function by the `is` of a message, with `frame` (a JPEG), `screen` and `link` ("live" or "lost").
export function connect({ port }, token, hears) {
  let socket = null;
  let timer = null;

  function open() {
    const mine = new WebSocket(`ws://${location.hostname}:${port}/${token}/link?lang=${language}`);
    socket = mine;
    mine.binaryType = "arraybuffer";
    mine.onopen = () => hears.link?.("live");
    mine.onmessage = ({ data }) => (typeof data === "string" ? text(JSON.parse(data)) : binary(data));
    mine.onclose = () => {
      if (mine !== socket) return;
      hears.link?.("lost");
      timer = setTimeout(open, RETRY_MS);
    };
  }

  function text(message) {
    hears[message.is]?.(message);
  }

  function binary(data) {
    const bytes = new Uint8Array(data);
    if (bytes[0] === FRAME) {
      hears.frame?.(new Blob([bytes.subarray(1)], { type: "image/jpeg" }));
    } else if (bytes[0] === SCREEN) {
      const end = 2 + bytes[1];
      const name = new TextDecoder().decode(bytes.subarray(2, end));
      const view = new DataView(data, end);
      hears.screen?.({ name, width: view.getUint16(0), height: view.getUint16(2), bits: bytes.subarray(end + 4) });
    }
  }

  open();
  return {
    send: (message) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    },
    close: () => {
      clearTimeout(timer);
      const mine = socket;
      socket = null;
      mine.close();
    },
  };
}
