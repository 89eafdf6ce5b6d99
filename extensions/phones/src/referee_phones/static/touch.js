// The pictures as the control: what is touched on the mat, in the sky and among the cards chooses an action. Which things
// belong to which action the table says (selections.js). Readers and keyboards have the list.

import { Board } from "./board.js";
import { Drag } from "./drag.js";
import { Fan, many, rowsOf } from "./fan.js";
import { Sky } from "./sky.js";
import { delivery, done, offer, read, within } from "./selections.js";
import { Component, html } from "./view.js";
import { say } from "./words.js";

const SETTLED_MS = 500;

// list: the answers of the page. sky: its panel, if anything in it can be touched. refused: why the last action was, which
// shakes the picture each time. only: the actions that a lesson wants. hand: stands below
// the mat. brings: it asks what is brought to a place, so no button does. tap(serial, line): sends it.
export class Touch extends Component {
  constructor(props) {
    super(props);
    this.since = performance.now();
    this.moves = within(read(props.list), props.only);
    this.state = { picks: [], early: false, sent: false };
    this.drag = new Drag({
      mayDrag: (key) => Boolean(this.looks[key]),
      begin: (key) => this.begin(key),
      drop: (key) => offer(this.moves, this.state.picks).lit.has(key) && (this.touch(key), true),
      play: () => this.play(),
    });
  }

  componentWillReceiveProps({ list, only }) {
    this.setState({ sent: false });
    if (list === this.props.list && only === this.props.only) return;
    this.moves = within(read(list), only);
    const { lit, buttons } = offer(this.moves, this.state.picks);
    if (list.serial === this.props.list.serial && (lit.size > 0 || buttons.length > 0)) return; // not in another language
    this.since = performance.now();
    const { picks } = this.state;
    const stays = list.path.length > 0 && offer(this.moves, picks).lit.size > 0;
    this.setState({ picks: stays ? picks : [], early: false });
  }

  touch(key) {
    const { picks } = this.state;
    if (picks.includes(key)) return this.setState({ picks: picks.filter((each) => each !== key) });
    this.pick(offer(this.moves, picks).lit.has(key) ? [...picks, key] : [key]);
  }

  // What a drag begins on is chosen, and nothing carried out before it is dropped.
  begin(key) {
    const { picks } = this.state;
    if (picks.includes(key)) return;
    const more = [...picks, key];
    const goesOn = offer(this.moves, picks).lit.has(key) && offer(this.moves, more).lit.size > 0;
    this.setState({ picks: goesOn ? more : [key], early: false });
  }

  // Where one action is left, a card that was drawn up carries it out; else the sheet asks.
  play() {
    const { only } = offer(this.moves, this.state.picks);
    if (only && !only.costs) this.choose(only);
  }

  press({ pick, move }) {
    if (move) this.choose(move);
    else this.pick([...this.state.picks, pick]);
  }

  pick(picks) {
    this.setState({ picks, early: false });
    const move = done(this.moves, picks) ?? (this.props.brings ? delivery(this.moves, picks) : null);
    if (move) this.choose(move);
  }

  choose({ at }) {
    const { list, tap } = this.props;
    const early = performance.now() - this.since < SETTLED_MS;
    this.setState({ early, sent: !early });
    if (!early) tap(list.serial, list.lines.length + at);
  }

  render({ board, players, sky, refused, hand }, { picks, early, sent }) {
    const { lit, others, heading, buttons: offered } = offer(this.moves, picks);
    // Where nothing drawn can be touched, the list says it all.
    const buttons = this.props.list.touch?.things.length ? offered : [];
    this.looks = Object.fromEntries([...[...others].map((key) => [key, "idle"]), ...[...lit].map((key) => [key, "lit"]), ...picks.map((key) => [key, "picked"])]);
    const { looks } = this;
    const touch = (key) => this.touch(key);
    const rows = rowsOf(this.props.list.touch, this.moves);
    const fan = html`<${Fan} rows=${rows} moves=${this.moves} lit=${looks} touch=${touch} />`;
    // Where cards alone are chosen from many, the mat would push them off the display.
    const first = many(rows) && this.moves.every(({ keys }) => keys.every((key) => key.startsWith("=")));
    return html`<div class="touch" ...${this.drag.listeners}>
      ${first && fan}
      <div class=${refused && !sent ? "refused" : ""}>
        ${board && html`<${Board} board=${board} players=${players} lit=${looks} touch=${touch} />`}
        ${sky && html`<${Sky} ...${sky} looks=${looks} touch=${touch} />`}
      </div>
      ${!first && fan}
      ${hand}
      <div class=${picks.length ? "meant sheet" : "meant"} aria-hidden="true">
        ${heading && buttons.length > 0 && html`<p class="noun">${heading}</p>`}
        ${buttons.length > 0 && html`<ul class=${heading ? "words" : ""}>
          ${buttons.map((each) => html`<li key=${each.text}><button type="button" class="line" tabindex="-1" onClick=${() => this.press(each)}>${each.text}</button></li>`)}
        </ul>`}
        ${picks.length > 0 && html`<button type="button" class="plain" tabindex="-1" onClick=${() => this.setState({ picks: picks.slice(0, -1) })}>${say("back")}</button>`}
      </div>
      ${early && html`<p class="note" role="status">${say("early")}</p>`}
    </div>`;
  }
}
