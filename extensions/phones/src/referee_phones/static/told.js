// What happened, the newest first, with the points up to which it can be taken back.

import { Component, html } from "./view.js";
import { say } from "./words.js";

export class Told extends Component {
  constructor(props) {
    super(props);
    this.state = { all: false };
  }

  // few: so many lines at first. reached: the box may be scrolled, so the keyboard must get there.
  render({ told, undo, few, reached }, { all }) {
    if (!told.length) return null;
    const newest = told.map((text, at) => ({ text, at })).reverse();
    const shown = all ? newest : newest.slice(0, few);
    return html`<section class="box told" aria-labelledby="happened" tabindex=${reached ? 0 : null}>
      <h2 id="happened">${say("happened")}</h2>
      ${undo.length > 0 && html`<p class="legend" aria-hidden="true">↶ ${say("undo-here")}</p>`}
      <ol reversed>
        ${shown.map(({ text, at }) => html`<li key=${`${at} ${text}`} class=${undo.includes(at) ? "undo" : ""}>
          <span>${text}</span>
          ${undo.includes(at) && html`<span class="point"><span aria-hidden="true">↶</span><span class="unseen">${say("undo-here")}</span></span>`}
        </li>`)}
      </ol>
      ${told.length > few && html`<button type="button" class="plain" aria-expanded=${all} onClick=${() => this.setState({ all: !all })}>
        ${say(all ? "show-less" : "show-all")}
      </button>`}
    </section>`;
  }
}
