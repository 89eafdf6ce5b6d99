// The demo: its table plays itself until somebody takes a seat. One button leads from there to the seats, each a page of
// its own: side by side in this window, on a phone, or in a tab.

import { Invitations } from "./invitations.js";
import { LEARNS, NAMED, kept, keep } from "./kept.js";
import { Colours, Mark, colourOf } from "./mark.js";
import { LONGEST } from "./naming.js";
import { Link } from "./parts.js";
import { Component, createRef, html } from "./view.js";
import { say } from "./words.js";

const HERE = "here";
const PATIENCE_MS = 20000;
const COMMAND = 'make demo ARGS="--host 0.0.0.0"';

const NAMES = "names"; // of the players, and their colours, by seat, as they were last given here

// demo: of /app.json. game: that is set up or played. seat(seats, learns): shows these seats in this window.
export class Play extends Component {
  constructor(props) {
    super(props);
    this.state = { asks: false };
  }

  render({ demo, game, codes, colours, players, seat }, { asks }) {
    const seats = Object.keys(demo.seats);
    const free = seats.filter((each) => codes.some((code) => code.seat === each) || kept(HERE, []).includes(each));
    const all = free.length ? free : seats;
    const take = (chosen) => {
      keep(HERE, chosen);
      seat(chosen);
    };
    const learn = () => {
      keep(HERE, all.slice(0, 1));
      seat(all.slice(0, 1), true);
    };
    return html`<div class="invite">
      <button type="button" class="plain strong" onClick=${() => (seats.length > 1 ? this.setState({ asks: true }) : take(all))}>
        <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M7 4.500v15l12.500-7.500z" /></svg>${say("play")}
      </button>
      ${demo.lessons.includes(game) && html`<button type="button" class="plain learn" onClick=${learn}>${say("learn")}</button>`}
      ${asks && html`<${Seating} demo=${demo} codes=${codes} players=${players} colours=${colours} all=${all} take=${take} close=${() => this.setState({ asks: false })} />`}
    </div>`;
  }
}

// given: the player's name and colour, if any.
const windowName = (given, seat) => NAMED + JSON.stringify({ ...given, seat });

class Seating extends Component {
  constructor(props) {
    super(props);
    this.box = createRef();
    this.state = { given: kept(NAMES, {}) };
  }

  componentDidMount() {
    const box = this.box.current;
    // Safari before 15.4 knows no dialogs: there it is a box over the page.
    if (box.showModal) box.showModal();
    else box.setAttribute("open", "");
  }

  // The keyboard goes back to the button that opened it.
  componentWillUnmount() {
    this.box.current?.close?.();
  }

  // A colour that another seat had goes to the one that has it no more.
  set(seat, changed) {
    const { given } = this.state;
    const other = Object.keys(given).find((each) => changed.colour && each !== seat && given[each].colour === changed.colour);
    const passed = other && { [other]: { ...given[other], colour: given[seat]?.colour } };
    this.setState({ given: { ...given, ...passed, [seat]: { ...given[seat], ...changed } } });
  }

  render({ demo, codes, colours, players, all, take, close }, { given }) {
    const seats = Object.keys(demo.seats);
    const go = (chosen) => {
      keep(NAMES, given);
      take(chosen);
    };
    return html`<dialog ref=${this.box} class="drawer seating" aria-labelledby="who-plays" onClose=${close} onClick=${(event) => event.target === this.box.current && close()}>
      <h2 id="who-plays">${say("who-plays")}</h2>
      <div class="called">
        ${seats.map((each) => html`<div key=${each}>
          <label>${say("name-of", { seat: each.toUpperCase() })} <input name=${each} maxlength=${LONGEST} autocomplete="off" dir="auto" value=${given[each]?.name ?? ""} onInput=${({ target }) => this.set(each, { name: target.value.trim() })} /></label>
          ${given[each]?.name && html`<${Colours} name=${`colour-${each}`} colours=${colours} chosen=${given[each]?.colour ?? colourOf(players, each)} choose=${(colour) => this.set(each, { colour })} />`}
        </div>`)}
      </div>
      <${Way} strong title=${say("all-here")} hint=${say("all-here-hint")} choose=${() => go(all)} />
      ${demo.scan ? html`<${Way} title=${say("one-here")} hint=${say("one-here-hint")} choose=${() => go(all.slice(0, 1))} />` : html`<div class="way"><strong>${say("one-here")}</strong><span>${say("no-phones")}</span><code>${COMMAND}</code></div>`}
      <p class="tabs"><span>${say("in-tabs")}</span>${seats.map((each) => html`<a key=${each} href=${address(demo, codes, each)} target=${windowName(given[each], each)}>${say("play-as", { seat: called(players, each) })}</a>`)}</p>
      <button type="button" class="plain" onClick=${close}>${say("close")}</button>
    </dialog>`;
  }
}

function Way({ title, hint, choose, strong }) {
  return html`<button type="button" class=${strong ? "plain strong way" : "plain way"} onClick=${choose}><strong>${title}</strong><span>${hint}</span></button>`;
}

const called = (players, seat) => players.find((player) => player.seat === seat)?.name ?? seat.toUpperCase();
const address = (demo, codes, seat) => codes.find((each) => each.seat === seat)?.address ?? demo.seats[seat];

// The seats that are played in this window. A narrow one shows the seat whose turn it is, until another is chosen.
export class Seats extends Component {
  constructor(props) {
    super(props);
    const taken = props.seats.some((seat) => props.sheet.codes.some((code) => code.seat === seat));
    // The address of a seat loses its code once it is taken; its frame stays.
    this.addresses = Object.fromEntries(props.seats.map((seat) => [seat, here(address(props.demo, props.sheet.codes, seat))]));
    // Who sits down ends the match that the demo plays; until the next one is set up there is nothing to do.
    this.state = { chosen: null, turn: null, waits: taken && !props.learns && props.sheet.status !== null };
    this.timer = setTimeout(() => this.setState({ waits: false }), PATIENCE_MS);
  }

  componentWillUnmount() {
    clearTimeout(this.timer);
  }

  static getDerivedStateFromProps({ seats, sheet }, { turn, chosen, waits }) {
    const now = sheet.players.find((player) => player.turn && seats.includes(player.seat))?.seat ?? turn ?? seats[0];
    return { turn: now, chosen: now === turn ? chosen : null, waits: waits && !sheet.answers.lines.length };
  }

  render({ seats, learns, sheet, link, close }, { chosen, turn, waits }) {
    const shown = chosen ?? turn;
    const codes = sheet.codes.filter(({ seat }) => !seats.includes(seat));
    return html`<div class="page seats">
      <header class="bar">
        <span class="game"><${Link} state=${link} />${sheet.heading}</span>
        ${seats.length > 1 && html`<div class="which" role="group" aria-label=${say("players")}>
          ${seats.map((seat) => html`<button type="button" key=${seat} class="plain" aria-pressed=${seat === shown} onClick=${() => this.setState({ chosen: seat })}><${Mark} colour=${colourOf(sheet.players, seat)} />${called(sheet.players, seat)}</button>`)}
        </div>`}
        <button type="button" class="plain" onClick=${close}>${say("watch")}</button>
      </header>
      <main inert=${waits}>
        ${seats.map((seat) => html`<iframe key=${seat} class=${seat === shown ? "shown" : ""} name=${learns ? LEARNS : windowName(kept(NAMES, {})[seat], seat)} src=${this.addresses[seat]} title=${say("seat", { seat: called(sheet.players, seat) })}></iframe>`)}
        ${seats.length < 2 && !learns && codes.length > 0 && html`<${Invitations} codes=${codes} />`}
      </main>
      ${waits && html`<p class="waits" role="status">${say("makes-room")}</p>`}
    </div>`;
  }
}

// By the name of this page: what a browser keeps for a seat, it keeps for a name.
function here(address) {
  const found = new URL(address);
  found.hostname = location.hostname;
  return found.href;
}
