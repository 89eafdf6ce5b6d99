// Clocks, counted down by the page itself: a sheet stays the same while a clock runs.

import { Mark, colourOf } from "./mark.js";
import { Component, html } from "./view.js";
import { say } from "./words.js";

const TICK_MS = 200;

// One clock's time. now(): seconds on the daemon's clock.
export class Time extends Component {
  componentDidMount() {
    this.timer = setInterval(() => this.props.clock.ends !== null && this.forceUpdate(), TICK_MS);
  }

  componentWillUnmount() {
    clearInterval(this.timer);
  }

  render({ clock: { of, short_s: short, left_s: left, ends }, now }) {
    const seconds = Math.max(0, ends === null ? left : ends - now());
    const time = shown(seconds);
    return html`<span class=${seconds <= short ? "time short" : "time"}>
      <span class="unseen">${say("clock-of", { name: of, time })}</span>
      <span aria-hidden="true">${time}</span>
    </span>`;
  }
}

export function Clocks({ clocks, players, now }) {
  return html`<ul class="clocks" aria-label=${say("clocks")}>
    ${clocks.map((clock) => html`<li key=${clock.seat} class=${clock.ends === null ? "" : "running"}>
      <span class="of" aria-hidden="true"><${Mark} colour=${colourOf(players, clock.seat)} />${clock.of}</span>
      <${Time} clock=${clock} now=${now} />
    </li>`)}
  </ul>`;
}

function shown(seconds) {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
