// The newest frame on a canvas; frames that come while one is being decoded are passed over.

import { number, say } from "./words.js";

export function camera(canvas, rate, after = () => {}) {
  let busy = false;
  let waiting = null;
  const times = [];

  async function frame(blob) {
    if (busy) {
      waiting = blob;
      return;
    }
    busy = true;
    const picture = await createImageBitmap(blob);
    if (canvas.width !== picture.width || canvas.height !== picture.height) {
      canvas.width = picture.width;
      canvas.height = picture.height;
    }
    canvas.getContext("2d").drawImage(picture, 0, 0);
    picture.close();
    after();
    count();
    busy = false;
    if (waiting) {
      const next = waiting;
      waiting = null;
      await frame(next);
    }
  }

  function count() {
    const now = performance.now();
    times.push(now);
    while (times.length > 1 && now - times[0] > 3000) times.shift();
    const seconds = (now - times[0]) / 1000;
    rate.textContent = seconds > 0 ? say("rate", { rate: number((times.length - 1) / seconds, 1) }) : "";
    canvas.dataset.drawn = String(Number(canvas.dataset.drawn ?? 0) + 1);
  }

  return frame;
}
