// How a page reaches its table: by WebSocket.

import { language, say } from "./words.js";

export const open = (address) => new WebSocket(address);

// A browser does not say why it opened no WebSocket. The table does, to whoever asks at the same address.
export async function refusal() {
  const asked = `link?lang=${language}&page=${encodeURIComponent(location.origin)}`;
  const answer = await fetch(asked).catch(() => null);
  if (answer?.status === 426) return say("no-socket"); // it takes this page, and nothing but a WebSocket
  return answer && answer.status < 500 && !answer.ok ? (await answer.text()).trim() : null;
}
