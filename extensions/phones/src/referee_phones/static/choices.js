// A list of lines of which one may be tapped. What counts is the list as it was when the finger came down: its serial
// goes with the tap, and the table refuses one that is out of date. A line that only just came is not taken, and that is said.

import { length } from "./captions.js";
import { Component, createRef, html } from "./view.js";
import { say } from "./words.js";

const SETTLED_MS = 500;
const PATIENCE_MS = 2000;
const MANY = 7;
const SHORT = 11;

// list: answers or menu of the sheet. tap(serial, line): sends it, false if it cannot be sent. name: of the list, for
// readers. refusals: counts the taps that were not taken. wanted: lines that a lesson leads to.
export class Choices extends Component {
  constructor(props) {
    super(props);
    this.root = createRef();
    this.aim = null;
    this.state = { sent: null, early: false };
    this.look(null, props.list);
  }

  componentWillReceiveProps({ list, refusals }) {
    if (refusals !== this.props.refusals) this.answered();
    if (list === this.props.list) return;
    this.look(this.props.list, list);
    if (list.serial !== this.props.list.serial) this.answered();
  }

  componentDidUpdate({ list: before }) {
    const { list } = this.props;
    if (list.serial === before.serial || !this.own) return;
    this.own = false;
    // What is asked next stands at the top, however far down the tapped line was.
    window.scrollTo({ top: 0 });
    if (this.root.current?.contains(document.activeElement) || document.activeElement === document.body) {
      this.root.current?.querySelector("button")?.focus({ preventScroll: true });
    }
  }

  componentWillUnmount() {
    clearTimeout(this.timer);
    clearTimeout(this.settling);
  }

  // When each line came to be where it is.
  look(before, { lines }) {
    const now = performance.now();
    this.since = lines.map((line, at) => (before && before.lines[at] === line ? this.since[at] : now));
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.forceUpdate(), SETTLED_MS);
  }

  settled(at) {
    return at < 0 || performance.now() - this.since[at] >= SETTLED_MS;
  }

  down(at) {
    this.aim = { at, serial: this.props.list.serial, settled: this.settled(at) };
  }

  // detail 0: by keyboard or a screen reader, which aim at what stands there now.
  up(at, { detail }) {
    const aim = detail === 0 ? { at, serial: this.props.list.serial, settled: this.settled(at) } : this.aim;
    this.aim = null;
    if (this.state.sent !== null || !aim || aim.at !== at) return;
    this.setState({ early: !aim.settled });
    if (!aim.settled) return;
    if (!this.props.tap(aim.serial, at)) return;
    this.own = true;
    this.setState({ sent: at });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.answered(), PATIENCE_MS);
  }

  answered() {
    clearTimeout(this.timer);
    this.setState({ sent: null });
  }

  keys(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const buttons = [...this.root.current.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    if (step && at >= 0) {
      event.preventDefault();
      buttons[(at + step + buttons.length) % buttons.length].focus();
    }
    if (event.key === "Escape" && this.props.list.back) {
      event.stopPropagation();
      event.preventDefault();
      this.up(-1, { detail: 0 });
    }
  }

  button(text, at, kind) {
    const state = this.state.sent === at ? " sent" : this.settled(at) ? "" : " fresh";
    return html`<button
      type="button"
      class=${kind + state}
      onPointerDown=${() => this.down(at)}
      onClick=${(event) => this.up(at, event)}
    >
      ${text}
    </button>`;
  }

  render({ list, name, wanted = [] }, { early }) {
    return html`<div class="choices" ref=${this.root} onKeyDown=${(event) => this.keys(event)}>
      ${list.path.length > 0 &&
      html`<ol class="path" aria-label=${say("chosen")}>
        ${list.path.map((each) => html`<li>${each}</li>`)}
      </ol>`}
      <ul class=${list.lines.length >= MANY && list.lines.every((line) => length(line) <= SHORT) ? "short" : ""} aria-label=${name} aria-busy=${this.state.sent !== null}>
        ${list.lines.map((line, at) => html`<li key=${at}>${this.button(line, at, wanted.includes(line) ? "line wanted" : "line")}</li>`)}
      </ul>
      ${list.back && this.button(say("back"), -1, "back")}
      ${early && html`<p class="note" role="status">${say("early")}</p>`}
    </div>`;
  }
}
