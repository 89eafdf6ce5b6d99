// The newest frame on a canvas; frames that come while one is being decoded are passed over.

import { Component, createRef, html } from "../view.js";
import { number, say } from "./speech.js";

const OVER_MS = 3000;

// made(camera): hears of it once it is there.
export class Camera extends Component {
  constructor(props) {
    super(props);
    this.canvas = createRef();
    this.times = [];
    this.state = { rate: null };
    props.made(this);
  }

  async frame(blob) {
    if (this.busy) {
      this.waiting = blob;
      return;
    }
    this.busy = true;
    const picture = await createImageBitmap(blob);
    const canvas = this.canvas.current;
    if (canvas) {
      if (canvas.width !== picture.width || canvas.height !== picture.height) {
        Object.assign(canvas, { width: picture.width, height: picture.height });
      }
      canvas.getContext("2d").drawImage(picture, 0, 0);
      canvas.dataset.drawn = String(Number(canvas.dataset.drawn ?? 0) + 1);
      this.count();
    }
    picture.close();
    this.busy = false;
    const next = this.waiting;
    this.waiting = null;
    if (next) await this.frame(next);
  }

  count() {
    const now = performance.now();
    this.times = [...this.times, now].filter((time) => now - time <= OVER_MS);
    const seconds = (now - this.times[0]) / 1000;
    this.setState({ rate: seconds > 0 ? (this.times.length - 1) / seconds : null });
  }

  render(_, { rate }) {
    return html`<div class="bench-row">
        <h2 id="bench-camera">${say("camera")}</h2>
        ${rate !== null && html`<p class="quiet">${say("rate", { rate: number(rate, 1) })}</p>`}
      </div>
      <canvas ref=${this.canvas} id="camera" role="img" width="1280" height="720" aria-label=${say("camera-sees")} />`;
  }
}
