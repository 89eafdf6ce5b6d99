// The link to the table. It opens again by itself when it breaks, and at once when a phone wakes; a link that
// another page took over does not, or two pages with one key would throw each other out for ever.

import { open as opened, refusal } from "./socket.js";
import { language } from "./words.js";

const SOONEST_MS = 500;
const LATEST_MS = 8000;
const SUPERSEDED = 4001;
const SLEPT_MS = 10000;
const SAID_BYTES = 512; // frames.py

// Text of one size, whatever it says: the length of what is encrypted can be seen.
function padded(text) {
  const size = new TextEncoder().encode(text).length;
  return text + " ".repeat(Math.max(0, SAID_BYTES - size));
}

// hears: {state(of the link, why it was refused if that is known), message(object)}. State: "connecting", "live", "lost"
// or "superseded".
export function connect(hears) {
  let socket = null;
  let wait = SOONEST_MS;
  let timer = null;
  let ended = false;
  let hidden = null;
  let failures = 0;

  function open() {
    clearTimeout(timer);
    socket?.close();
    ended = false;
    const address = new URL(`link?lang=${language}`, location.href.replace(/^http/, "ws").replace(/[#?].*$/, ""));
    const mine = opened(address);
    socket = mine;
    let live = false;
    mine.onmessage = ({ data }) => {
      if (mine !== socket) return;
      const message = JSON.parse(data);
      if (!live && !("refused" in message)) {
        // A table that is away or full opens a link, too, says so and closes it.
        live = true;
        wait = SOONEST_MS;
        failures = 0;
        hears.state("live");
      }
      if (message.why === "superseded") ended = true;
      hears.message(message);
    };
    mine.onclose = ({ code }) => mine === socket && closed(code);
  }

  function closed(code) {
    ended ||= code === SUPERSEDED;
    hears.state(ended ? "superseded" : "lost");
    if (ended) return;
    timer = setTimeout(open, wait * (0.75 + Math.random() / 2));
    wait = Math.min(2 * wait, LATEST_MS);
    failures += 1;
    if (failures > 1) refusal().then((why) => why && failures && hears.state("lost", why)); // one may be a restart
  }

  // A phone that slept, or found its network again, may not know yet that its link is dead, or waits long for the next try.
  // The wall clock goes on while it sleeps.
  function awake({ type }) {
    if (document.visibilityState !== "visible") {
      hidden ??= Date.now();
      return;
    }
    const slept = hidden !== null && Date.now() - hidden > SLEPT_MS;
    hidden = null;
    if (!ended && (slept || type === "online" || socket.readyState > WebSocket.OPEN)) open();
  }

  document.addEventListener("visibilitychange", awake);
  window.addEventListener("online", awake);
  window.addEventListener("pageshow", awake);
  open();
  return {
    open,
    say: (message) => {
      if (socket?.readyState !== WebSocket.OPEN) return false;
      socket.send(padded(JSON.stringify(message)));
      return true;
    },
    send: (data) => {
      if (socket?.readyState !== WebSocket.OPEN) return false;
      socket.send(data);
      return true;
    },
  };
}
