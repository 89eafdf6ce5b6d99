// Knobs for light and lens, switches for faults, and who plays.

import { Component, html } from "../view.js";
import { number, say } from "./speech.js";

const PLAYS = { off: "plays-you", honest: "plays-itself", cheating: "plays-cheating" };

export function Who({ auto, send }) {
  return html`<fieldset class="bench-choice" id="auto">
    <legend>${say("who-plays")}</legend>
    ${Object.entries(PLAYS).map(([value, key]) => html`<label key=${value}><input type="radio" name="bench-auto" value=${value} checked=${auto === value} onChange=${() => send({ do: "play", auto: value })} /><span>${say(key)}</span></label>`)}
  </fieldset>`;
}

export function Knobs({ knobs, send }) {
  return html`<details class="box">
    <summary><h2>${say("scene")}</h2></summary>
    <div class="knobs">${knobs.map((knob) => html`<${Knob} key=${knob.name} ...${knob} send=${send} />`)}</div>
  </details>`;
}

// What is told back while a knob is being turned is older than the finger.
class Knob extends Component {
  constructor(props) {
    super(props);
    this.state = { turned: null };
  }

  render({ name, label, low, high, step, value, unit, send }, { turned }) {
    const shown = turned ?? value;
    const turn = ({ target }) => {
      this.setState({ turned: Number(target.value) });
      send({ do: "turn", knob: name, value: Number(target.value) });
    };
    return html`<label>
      <span>${label}</span>
      <input type="range" data-knob=${name} min=${low} max=${high} step=${step} value=${shown} onInput=${turn} onChange=${() => this.setState({ turned: null })} />
      <output>${number(shown)}${unit && ` ${unit}`}</output>
    </label>`;
  }
}

export function Faults({ switches, send }) {
  return html`<details class="box" open>
    <summary><h2>${say("faults")}</h2></summary>
    <div class="faults">
      ${switches.map(({ name, label, on }) => html`<label key=${name}>
        <input type="checkbox" data-switch=${name} checked=${on} onChange=${({ target }) => send({ do: "throw", switch: name, on: target.checked })} />
        <span>${label}</span>
      </label>`)}
    </div>
  </details>`;
}
