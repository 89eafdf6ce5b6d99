// Beside a seat's page, and known to no referee: the cards that this seat holds, and the pieces that it just had a hand
// look at. It proves that it knows the phone's key.

import { proof } from "../handshake.js";
import { LEARNS, kept } from "../kept.js";
import { piece, setNamed } from "../pictures.js";
import { Component, html } from "../view.js";
import { language, say as page } from "../words.js";
import { connect } from "./link.js";
import { learn, say } from "./speech.js";

document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: "bench/bench.css" }));

// beside: of /app.json. seat: whose page it is. teach(lesson): shows its lesson (lesson.js), null for none. within(hand,
// brings, beside): the page, with the hand, whether that asks what is brought to a place, and what stands below.
export class Beside extends Component {
  constructor(props) {
    super(props);
    this.state = { cards: null, offered: false };
  }

  componentDidMount() {
    this.open();
  }

  componentDidUpdate(_, before) {
    if (this.state.asked && !before.asked) document.querySelector(".your-cards.asked")?.scrollIntoView({ block: "center" });
    if (this.speaks === language) return;
    this.link.close();
    this.open();
  }

  componentWillUnmount() {
    this.link.close();
  }

  open() {
    this.speaks = language;
    this.link = connect(this.props.beside, this.props.seat, {
      challenge: ({ text }) => this.link.send({ do: "prove", proof: proof(kept("key"), text) }),
      cards: (message) => {
        learn(message.words);
        this.setState(message);
        if (window.name === LEARNS && !this.begun) this.wish("begin");
        this.begun = true;
      },
      lesson: ({ offered, card }) => {
        // What was looked at makes way for what the next step has this seat touch.
        this.setState(({ shown = [] }) => ({ offered, ...(card?.moves?.length && { closed: idents(shown) }) }));
        this.props.teach(card && { ...card, wish: (wish) => this.wish(wish) });
      },
    });
  }

  wish(wish) {
    this.link.send({ do: "learn", wish });
  }

  render({ within }, state) {
    if (!state.cards) return within(null, false, null);
    const learns = state.offered && html`<button key="learn" type="button" class="plain learn" onClick=${() => this.wish("begin")}>${page("learn")}</button>`;
    const held = this.held(state);
    return within(held, Boolean(state.conceals && held), [learns, this.shown(state)]);
  }

  // Over the page, wherever the seat asked for it, until it is closed; then in its place on the page.
  shown({ shown, closed }) {
    if (!shown.length) return null;
    const these = idents(shown);
    const close = () => this.setState({ closed: these });
    return html`<section key="shown" class=${closed === these ? "box your-cards" : "box your-cards curtain"} role="status" aria-labelledby="yours-alone">
      <div class="row">
        <h2 id="yours-alone">${say("yours-alone")}</h2>
        ${closed !== these && html`<button type="button" class="plain" onClick=${close}>${page("close")}</button>`}
      </div>
      <ul>${shown.map((each) => html`<li key=${each.id}><${Peeked} card=${each} /></li>`)}</ul>
    </section>`;
  }

  held({ cards, conceals, picked, asked, told }) {
    if (!cards.length && !told.length) return null;
    const notes = html`<div key="held" role="status">${told.map((text) => html`<p class="note" key=${text}>${text}</p>`)}</div>`;
    if (!cards.length) return notes;
    return html`<section key="held" class=${`box your-cards hand${asked ? " asked" : ""}`} aria-labelledby="your-cards">
      <h2 id="your-cards">${say("your-cards")}</h2>
      ${notes}
      <ul>${cards.map((card) => html`<li key=${card.id}><${Card} card=${card} picked=${card.id === picked} pick=${conceals ? () => this.link.send({ do: "pick", card: card.id }) : null} /></li>`)}</ul>
      <p class="quiet">${say("your-cards-hint")}${conceals && !asked && ` ${say("pick-hint")}`}</p>
    </section>`;
  }
}

const idents = (pieces) => pieces.map(({ id }) => id).join(" ");

function Card({ card, picked, pick }) {
  const shown = html`<${Drawn} card=${card} /><span>${card.name}</span>`;
  if (!pick) return html`<span class="your-card">${shown}</span>`;
  return html`<button type="button" class=${picked ? "your-card picked" : "your-card"} aria-pressed=${picked} onClick=${pick}>${shown}</button>`;
}

// Its cover lifts as long as a finger or a key holds it: nobody beside the player sees more.
class Peeked extends Component {
  render({ card }, { open = false }) {
    const lift = () => this.setState({ open: true });
    const fall = () => this.setState({ open: false });
    const by = (act) => ({ key }) => (key === " " || key === "Enter") && act();
    const holds = { onPointerDown: lift, onPointerUp: fall, onPointerLeave: fall, onPointerCancel: fall, onKeyDown: by(lift), onKeyUp: by(fall), onBlur: fall };
    return html`<button type="button" class=${open ? "your-card peeked open" : "your-card peeked"} onContextMenu=${(event) => event.preventDefault()} ...${holds}>
      <${Drawn} card=${card} covered=${true} /><span>${open ? card.name : say("hold-to-look")}</span>
    </button>`;
  }
}

function Drawn({ card: { set, kind, name, width, height }, covered }) {
  return html`<svg viewBox=${`${-width / 2 - 1} ${-height / 2 - 1} ${width + 2} ${height + 2}`} aria-hidden="true">
    ${piece(setNamed(set), kind, name)}
    ${covered && html`<g class="cover">${piece(setNamed(set), "", "")}</g>`}
  </svg>`;
}
