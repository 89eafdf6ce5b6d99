// The board as the control: touched pieces and places choose a line of the list below it. Which ones choose which line the
// table says; here they are matched. Readers and keyboards have the list.

import { Board } from "./board.js";
import { Component, html } from "./view.js";
import { say } from "./words.js";

const SETTLED_MS = 500;
const key = ([zone, index]) => `${zone}/${index}`;
const place = (spot) => `>${key(spot)}`;
const keys = ({ pieces, places }) => [...pieces.map(key), ...places.map(place)];

// list: the answers of the sheet, with touches. tap(serial, line): sends it.
export class Touch extends Component {
  constructor(props) {
    super(props);
    this.since = performance.now();
    this.state = { picked: [], early: false };
  }

  componentWillReceiveProps({ list }) {
    if (list.serial === this.props.list.serial) return;
    this.since = performance.now();
    const stays = list.path.length > 0 && fitting(list, this.state.picked).length > 0;
    this.setState({ picked: stays ? this.state.picked : [], early: false });
  }

  touch(spot) {
    const { list } = this.props;
    const { picked } = this.state;
    if (picked.includes(spot)) return this.setState({ picked: picked.filter((each) => each !== spot) });
    const longer = [...picked, spot];
    const now = fitting(list, longer).length ? longer : [spot];
    const found = fitting(list, now);
    this.setState({ picked: now, early: false });
    // After a single touch a button says first what it does.
    if (now.length > 1 && found.length === 1 && whole(list, found, now).length === 1) this.choose(found[0]);
  }

  choose(line) {
    const early = performance.now() - this.since < SETTLED_MS;
    this.setState({ early });
    if (!early) this.props.tap(this.props.list.serial, line);
  }

  render({ board, players, list }, { picked, early }) {
    const meant = whole(list, fitting(list, picked), picked);
    return html`<div class="touch">
      <${Board} board=${board} players=${players} lit=${lit(list, picked)} touch=${(spot) => this.touch(spot)} />
      ${picked.length > 0 && meant.length > 0 && html`<ul class="meant" aria-hidden="true">
        ${meant.map((line) => html`<li key=${line}><button type="button" class="line" tabindex="-1" onClick=${() => this.choose(line)}>${list.lines[line]}</button></li>`)}
      </ul>`}
      ${early && html`<p class="note" role="status">${say("early")}</p>`}
    </div>`;
  }
}

// Lines that touch all that was picked.
function fitting({ touches }, picked) {
  return touches.flatMap((each, line) => {
    const all = keys(each);
    return all.length && picked.every((spot) => all.includes(spot)) ? [line] : [];
  });
}

// Those of the lines of which nothing is left to touch.
const whole = ({ touches }, lines, picked) => lines.filter((line) => keys(touches[line]).length === picked.length);

// What may be touched next, and what was picked: "lit" or "picked" by key. Places follow once all pieces are picked.
function lit(list, picked) {
  const found = {};
  for (const line of fitting(list, picked)) {
    const { pieces, places } = list.touches[line];
    const left = pieces.map(key).filter((spot) => !picked.includes(spot));
    for (const spot of left.length ? left : places.map(place)) found[spot] = "lit";
  }
  for (const spot of picked) found[spot] = "picked";
  return found;
}
