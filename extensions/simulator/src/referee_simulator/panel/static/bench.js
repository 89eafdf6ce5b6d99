// The bench, a drawer of the table's page: what is simulated. Closed it asks for nothing. It is no part of the app as it
// is shipped: the simulator serves it beside.

import { Component, createRef, html } from "../view.js";
import { language } from "../words.js";
import { Camera } from "./camera.js";
import { Buzzer, Display } from "./displays.js";
import { connect } from "./link.js";
import { Faults, Knobs, Who } from "./scene.js";
import { learn, say } from "./speech.js";
import { table } from "./table.js";
import { Tray } from "./tray.js";

const BRIEFLY_MS = 4000;

style();

const token = (beside) => beside.token || location.hash.slice(1);

// Presses the button that starts a match: on the first seat's panel.
export function begin(beside) {
  const link = connect(beside, token(beside), {
    link: (state) => {
      if (state !== "live") return;
      for (const act of ["press", "release"]) link.send({ do: act, panel: "a", button: "choose" });
      link.close();
    },
  });
}

// beside: of /app.json. close(): shuts the drawer.
export class Beside extends Component {
  constructor(props) {
    super(props);
    this.svg = createRef();
    this.camera = this.tray = null;
    this.state = { hello: null, hands: {}, scene: null, buzzer: null, screens: {}, trouble: "", refused: "", hand: null, link: "live" };
    this.send = (message) => this.link?.send(message);
  }

  componentDidMount() {
    this.speaks = language;
    this.open();
  }

  componentDidUpdate() {
    if (this.speaks !== language) {
      this.speaks = language;
      this.link.close();
      this.open();
    }
    if (this.svg.current && !this.view) {
      this.view = table(this.svg.current, this.send, () => this.state.hand, (x, y) => this.tray?.takes(x, y));
      this.view.setup(this.state.hello);
      if (this.pieces) this.view.update(this.pieces);
    }
  }

  componentWillUnmount() {
    clearTimeout(this.timer);
    this.link.close();
  }

  open() {
    this.link = connect(this.props.beside, token(this.props.beside), {
      link: (link) => this.setState({ link }),
      hello: (hello) => this.greeted(hello),
      table: ({ pieces }) => {
        this.pieces = pieces;
        this.view?.update(pieces);
      },
      hands: ({ hands }) => this.setState({ hands }),
      scene: (scene) => this.setState({ scene }),
      buzzer: (buzzer) => this.setState({ buzzer }),
      screen: (screen) => this.setState(({ screens }) => ({ screens: { ...screens, [screen.name]: screen } })),
      frame: (blob) => this.camera?.frame(blob),
      peeked: (message) => this.view?.peeked(message),
      trouble: ({ text }) => this.setState({ trouble: text }),
      refused: (message) => this.refused(message),
    });
  }

  greeted(hello) {
    learn(hello.words);
    const hand = hello.seats.includes(this.state.hand) ? this.state.hand : hello.seats[0];
    this.setState({ hello, hand });
    this.view?.setup(hello);
  }

  refused(message) {
    this.view?.refused(message);
    this.tray?.refused(message);
    clearTimeout(this.timer);
    this.setState({ refused: message.text });
    this.timer = setTimeout(() => this.setState({ refused: "" }), BRIEFLY_MS);
  }

  render({ close, label }, { hello, hands, scene, buzzer, screens, trouble, refused, hand, link }) {
    const told = refused || trouble;
    const use = (seat) => hello.seats.includes(seat) && this.setState({ hand: seat });
    return html`<aside class="bench" aria-label=${label} onKeyDown=${({ key }) => key === "Escape" && close()}>
      <header class="bench-bar">
        <h2>${label}</h2>
        ${hello && html`<p class="quiet">${say("bench-hint")}</p>`}
        ${scene && html`<${Who} auto=${scene.auto} send=${this.send} />`}
        <button type="button" class="plain" onClick=${close}>${hello ? say("close") : "×"}</button>
      </header>
      ${link === "lost" && hello && html`<p class="banner" role="alert">${say("lost")}</p>`}
      ${hello && html`<div class="benches">
        <section class="box bench-table" aria-labelledby="bench-table">
          <div class="bench-row">
            <h2 id="bench-table">${say("table")}</h2>
            <${Hands} seats=${hello.seats} hand=${hand} use=${use} />
          </div>
          ${scene?.note && html`<p class="quiet">${scene.note}</p>`}
          <svg ref=${this.svg} class="bench-mat" role="group" aria-label=${say("table-above")}></svg>
          <p id="bench-told" class="note" role="status" hidden=${!told}>${told}</p>
          ${Object.keys(hands).length > 0 && html`<${Tray} made=${(tray) => (this.tray = tray)} seat=${hand} cards=${hands[hand] ?? []} conceals=${hello.conceals} names=${hello.names} send=${this.send} view=${() => this.view} />`}
          <div class="bench-row">
            <p class="quiet"><span class="by-mouse">${say("handle-by-mouse")} ${say("handle-by-keys")}</span>
              <span class="by-touch">${say("handle-by-touch")}</span>${Object.keys(hands).length > 0 && html` ${say("handle-cards")}`}</p>
            <button type="button" class="plain" id="lay" onClick=${() => this.send({ do: "lay" })}>${say("set-out")}</button>
          </div>
        </section>
        <section class="bench-displays" aria-label=${say("displays")}>
          ${ordered(hello.displays).map((name) => html`<${Display} key=${name} name=${name} screen=${screens[name]} current=${name === hand} send=${this.send} used=${() => use(name)} />`)}
          ${buzzer?.told && html`<${Buzzer} ...${buzzer} />`}
        </section>
        <div class="bench-scene">
          <section class="box" aria-labelledby="bench-camera"><${Camera} made=${(camera) => (this.camera = camera)} /></section>
          ${scene && html`<${Knobs} knobs=${scene.knobs} send=${this.send} /><${Faults} switches=${scene.switches} send=${this.send} />`}
        </div>
      </div>`}
    </aside>`;
  }
}

// Whose hand is over the table.
function Hands({ seats, hand, use }) {
  return html`<fieldset class="bench-choice" id="hand">
    <legend>${say("whose-hand")}</legend>
    ${seats.map((seat) => html`<label key=${seat}><input type="radio" name="bench-hand" value=${seat} checked=${seat === hand} onChange=${() => use(seat)} /><span>${seat.toUpperCase()}</span></label>`)}
  </fieldset>`;
}

// The table's before the seats'.
const ordered = (displays) => [...displays].sort((one, other) => (other === "table") - (one === "table") || one.localeCompare(other));

function style() {
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "bench/bench.css" });
  document.head.append(link);
}
