// A seat's hand of cards: drawn over the table, face up or face down, and taken back from it. Hidden until asked for.

import { piece, setNamed } from "../pictures.js";
import { Component, createRef, html } from "../view.js";
import { say } from "./speech.js";

// view(): the table, null until there is one. made(tray): hears of it once it is there.
export class Tray extends Component {
  constructor(props) {
    super(props);
    this.root = createRef();
    this.state = { shown: [], down: props.conceals, grip: null };
    this.follow = (event) => this.state.grip?.pointer === event.pointerId && this.moved(event);
    props.made(this);
    this.end = (event) => this.state.grip?.pointer === event.pointerId && this.finish(event.type === "pointercancel");
  }

  componentDidMount() {
    for (const kind of ["pointermove", "pointerup", "pointercancel"]) addEventListener(kind, kind === "pointermove" ? this.follow : this.end);
  }

  componentWillUnmount() {
    for (const kind of ["pointermove", "pointerup", "pointercancel"]) removeEventListener(kind, kind === "pointermove" ? this.follow : this.end);
  }

  componentWillReceiveProps({ conceals }) {
    if (conceals !== this.props.conceals) this.setState({ down: conceals });
  }

  take(event, card) {
    if (this.state.grip || event.button > 0) return;
    event.preventDefault();
    this.setState({ grip: { card, seat: this.props.seat, pointer: event.pointerId, x: event.clientX, y: event.clientY } });
  }

  // The card follows the pointer; once it is over the table, it is really there, and everybody sees it.
  moved(event) {
    const { grip, down } = this.state;
    const view = this.props.view();
    const over = view.contains(event.clientX, event.clientY);
    const place = view.at(event);
    if (over && !grip.brought) this.props.send({ do: "bring", seat: grip.seat, card: grip.card.id, up: !down, ...place });
    else if (grip.brought) this.props.send({ do: "carry", seat: grip.seat, ...place });
    this.setState({ grip: { ...grip, over, place, brought: grip.brought || over, x: event.clientX, y: event.clientY } });
  }

  finish(lost) {
    const { seat, brought, over, place } = this.state.grip;
    this.setState({ grip: null });
    if (brought) this.props.send(over && !lost ? { do: "drop", seat, ...place } : { do: "keep", seat });
  }

  // The hand could not do it: the card is where it was.
  refused({ card }) {
    if (card !== null && this.state.grip?.card.id === card) this.setState({ grip: null });
  }

  // True if a piece that is let go of there goes into the hand.
  takes(x, y) {
    const box = this.root.current?.getBoundingClientRect();
    return Boolean(box) && x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
  }

  render({ seat, cards, names }, { shown, down, grip }) {
    const open = shown.includes(seat);
    const toggle = () => this.setState({ shown: open ? shown.filter((each) => each !== seat) : [...shown, seat] });
    const called = ({ set, kind }) => names[set]?.[kind] ?? kind;
    return html`<div ref=${this.root} class="tray" onContextMenu=${(event) => event.preventDefault()}>
      <div class="bench-row">
        <h3>${say("hand-of", { seat: seat.toUpperCase() })}</h3>
        <span class="quiet count">${say("cards", { count: cards.length })}</span>
        <label class="tick"><input type="checkbox" id="down" checked=${down} onChange=${({ target }) => this.setState({ down: target.checked })} /><span>${say("lay-face-down")}</span></label>
        <button type="button" id="show" class="plain" aria-pressed=${open} onClick=${toggle}>${say(open ? "hide" : "show")}</button>
      </div>
      <div class="cards">
        ${cards.map((card) => html`<button
          key=${card.id}
          type="button"
          tabindex="-1"
          class=${grip?.card.id === card.id ? "held-card away" : "held-card"}
          data-card=${card.id}
          data-kind=${open ? card.kind : null}
          onPointerDown=${(event) => this.take(event, card)}
        ><${Face} card=${card} open=${open} name=${called(card)} /></button>`)}
      </div>
      ${grip && !grip.over && html`<div class="held-card ghost" style=${{ transform: `translate(${grip.x}px, ${grip.y}px) translate(-50%, -50%)` }}><${Face} card=${grip.card} open=${open} name=${called(grip.card)} /></div>`}
    </div>`;
  }
}

function Face({ card: { set, kind, width, height }, open, name }) {
  return html`<svg viewBox=${`${-width / 2} ${-height / 2} ${width} ${height}`} role="img" aria-label=${open ? name : say("a-card")}>${piece(setNamed(set), open ? kind : "", open ? name : "")}</svg>`;
}
