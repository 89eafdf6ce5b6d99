// A display, pixel for pixel, with the buttons of its panel: they are held down as long as a finger, or a key, holds them.

import { Component, createRef, html } from "../view.js";
import { say } from "./speech.js";

const LIT = [207, 232, 255];
const DARK = [4, 6, 9];
const SIGNS = { back: "◀", next: "▶", choose: "●" };

export class Display extends Component {
  constructor(props) {
    super(props);
    this.canvas = createRef();
  }

  componentDidMount() {
    this.draw();
  }

  componentDidUpdate({ screen }) {
    if (screen !== this.props.screen) this.draw();
  }

  draw() {
    const { screen } = this.props;
    const canvas = this.canvas.current;
    if (!screen) return;
    const { width, height, bits } = screen;
    const image = new ImageData(width, height);
    const stride = Math.ceil(width / 8);
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const lit = bits[y * stride + (x >> 3)] & (0x80 >> (x & 7));
        image.data.set(lit ? LIT : DARK, (y * width + x) * 4);
        image.data[(y * width + x) * 4 + 3] = 255;
      }
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
  }

  render({ name, screen, current, send, used }) {
    const title = { table: say("everybody"), shared: say("shared") }[name] ?? say("seat", { seat: name.toUpperCase() });
    return html`<article class=${current ? "box display current" : "box display"}>
      <h3>${title}</h3>
      <canvas ref=${this.canvas} class="oled" data-display=${name} role="img" aria-label=${say("display", { name: title })} width=${screen?.width ?? 128} height=${screen?.height ?? 64} />
      ${name !== "table" && html`<div class="buttons">
        ${Object.keys(SIGNS).map((button) => html`<${Button} key=${button} panel=${name} button=${button} send=${send} used=${used} />`)}
      </div>`}
    </article>`;
  }
}

// A tone is seen though it is over when the page hears of it: the lamp is a new one then, and lights up once.
export function Buzzer({ tones, sounds, told }) {
  return html`<article class="box buzzer">
    <h3>${say("buzzer")}</h3>
    <p><span key=${tones} class=${sounds ? "lamp on" : tones ? "lamp flash" : "lamp"} aria-hidden="true"></span><span data-tones=${tones}>${told}</span></p>
  </article>`;
}

class Button extends Component {
  constructor(props) {
    super(props);
    this.state = { down: false };
  }

  componentWillUnmount() {
    this.hold(false);
  }

  hold(down) {
    if (this.down === down || (!down && !this.down)) return;
    const { panel, button, send, used } = this.props;
    this.down = down;
    this.setState({ down });
    send({ do: down ? "press" : "release", panel, button });
    if (down) used();
  }

  render({ panel, button }, { down }) {
    const up = () => this.hold(false);
    return html`<button
      type="button"
      class=${down ? "down" : ""}
      data-panel=${panel}
      data-button=${button}
      onPointerDown=${(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        this.hold(true);
      }}
      onPointerUp=${up}
      onPointerCancel=${up}
      onLostPointerCapture=${up}
      onContextMenu=${(event) => event.preventDefault()}
      onKeyDown=${({ key, repeat }) => (key === " " || key === "Enter") && !repeat && this.hold(true)}
      onKeyUp=${up}
      onBlur=${up}
    >
      <b aria-hidden="true">${SIGNS[button]}</b>${say(button)}
    </button>`;
  }
}
