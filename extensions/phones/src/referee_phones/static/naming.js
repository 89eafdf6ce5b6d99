// A player's name and colour, asked once: on the seat's own page, or on the table's where the seat has none.

import { Colours } from "./mark.js";
import { InClear, Spare } from "./parts.js";
import { Component, html } from "./view.js";
import { say } from "./words.js";

// UTF-16 units: 12 characters of a name, each with its accents; more are refused in words.
export const LONGEST = 48;

// label: whose name it is. name, colour: the present ones. colours: that can be asked for. keep(name, colour): saves them.
// focus: it was asked for, and what is known may stand above it.
export class Naming extends Component {
  constructor(props) {
    super(props);
    this.id = `name-${props.seat}`;
    this.state = { text: props.name, chosen: null };
  }

  componentDidMount() {
    if (this.props.focus) document.getElementById(this.id).focus();
  }

  render({ seat, label, name, colour, colours, keep, children }, { text, chosen }) {
    const submit = (event) => {
      event.preventDefault();
      keep(text.trim(), chosen);
    };
    const done = !children && text.trim() === name && (chosen ?? colour) === colour;
    return html`<form class="naming" onSubmit=${submit}>
      <label for=${this.id}>${label}</label>
      <div class="row">
        <input id=${this.id} name="name" maxlength=${LONGEST} autocomplete=${children ? "given-name" : "off"} dir="auto" value=${text} onInput=${({ target }) => this.setState({ text: target.value })} />
        <button type="submit" class="plain strong" disabled=${done}>${say("keep")}</button>
      </div>
      ${text.trim() && html`<${Colours} name=${`colour-${seat}`} colours=${colours} chosen=${chosen ?? colour} choose=${(now) => this.setState({ chosen: now })} />`}
      ${children}
    </form>`;
  }
}

export function OwnNaming({ spare, ...asked }) {
  return html`<section class="box">
    <${Naming} ...${asked} label=${say("your-name")}>
      <p class="quiet">${say("name-hint")}</p>
      <${InClear} />
      <${Spare} number=${spare} />
    </>
  </section>`;
}

// Players without a page of their own. keep(seat, name, colour).
export function Nameable({ players, colours, keep }) {
  if (!players.length) return null;
  return html`<section class="box nameable" aria-labelledby="who-plays">
    <h2 id="who-plays">${say("who-plays")}</h2>
    ${players.map(({ seat, name, colour }) => {
      const given = name === seat.toUpperCase() ? "" : name;
      return html`<${Naming} key=${seat} seat=${seat} label=${say("name-of", { seat: seat.toUpperCase() })} name=${given} colour=${colour} colours=${colours} keep=${(...asked) => keep(seat, ...asked)} />`;
    })}
    <p class="quiet">${say("name-hint")}</p>
  </section>`;
}
