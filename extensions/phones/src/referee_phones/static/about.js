// About a thing of the page: hold a finger on it, click it with the right button, or press the menu key on a line of a list.
// It says the thing's name, what can be done with it now, and by which rule. It knows no more than the page.

import { Dialog } from "./dialog.js";
import { isLineOn, verbName } from "./hint.js";
import { read, sentence } from "./selections.js";
import { Component, html } from "./view.js";
import { say } from "./words.js";

const HELD_MS = 500;
const STILL_PX = 8;
const FEW = 3;

// The part of a page where something is asked. list: its answers. board, sky: what it draws. rules: the reference card. book: see rulebook.js.
export class Askable extends Component {
  constructor(props) {
    super(props);
    this.state = { about: null };
    this.listeners = {
      onContextMenu: (event) => this.open(event.target) && event.preventDefault(),
      onPointerDown: (event) => this.down(event),
      onPointerMove: ({ clientX, clientY }) => this.held && Math.hypot(clientX - this.held.x, clientY - this.held.y) > STILL_PX && this.end(),
      onPointerUp: () => this.end(),
      onPointerCancel: () => this.end(),
      onClickCapture: (event) => this.click(event),
    };
  }

  componentWillUnmount() {
    this.end();
  }

  down({ target, pointerType, isPrimary, clientX, clientY }) {
    this.end();
    this.opened = false;
    if (pointerType === "mouse" || !isPrimary) return;
    const timer = setTimeout(() => {
      this.opened = this.open(target);
    }, HELD_MS);
    this.held = { x: clientX, y: clientY, timer };
  }

  end() {
    clearTimeout(this.held?.timer);
    this.held = null;
  }

  // What a finger was held on is not tapped when it goes up.
  click(event) {
    if (this.opened) event.stopPropagation();
    this.opened = false;
  }

  open(target) {
    const about = this.about(target);
    if (about) {
      this.setState({ about });
      target.dispatchEvent(new PointerEvent("pointercancel", { bubbles: true })); // no drag begins below the dialog
    }
    return Boolean(about);
  }

  about(target) {
    const { list } = this.props;
    const moves = read(list);
    const key = target.closest?.("[data-spot]")?.dataset.spot;
    if (key) return { ...this.named(key, moves), moves: moves.filter(({ keys }) => keys.includes(key)) };
    const line = target.closest?.(".choices .line")?.textContent.trim();
    if (!line) return null;
    return { name: line, moves: moves.filter((move) => [move.verb, sentence(move, move.said)].some((each) => [line, list.path[0]].includes(each))) };
  }

  // The thing's name, and where it lies.
  named(key, moves) {
    const { board, sky } = this.props;
    if (key.startsWith("#")) {
      const number = Number(key.slice(1));
      return { name: say("sector", { sector: number }), where: sky?.words[number - 1] || say("empty") };
    }
    if (key.startsWith("=")) return { name: cardName(key, moves) };
    const spot = key.replace(/^>/, "");
    const { title } = board.places.find(({ zone }) => spot.startsWith(`${zone}/`));
    const lies = board.pieces.find(({ zone, index }) => `${zone}/${index}` === key);
    return lies ? { name: lies.name, where: title } : { name: title };
  }

  render({ children, rules, book }, { about }) {
    return html`<section class="ask" aria-labelledby="asks" ...${this.listeners}>
      ${children}
      ${about && html`<${About} ...${about} rules=${rules} book=${book} close=${() => this.setState({ about: null })} />`}
    </section>`;
  }
}

// What all actions with this card alone say; without one, what all with it say and those with the others alone do not.
function cardName(key, moves) {
  const cards = ({ keys }) => keys.filter((each) => each.startsWith("="));
  const common = (some) => (some[0]?.said ?? []).filter((word) => some.every(({ said }) => said.includes(word)));
  const alone = (card) => common(moves.filter((move) => cards(move).join() === card));
  const mine = moves.filter(({ keys }) => keys.includes(key));
  const others = new Set(mine.flatMap(cards).filter((each) => each !== key).flatMap(alone));
  const words = alone(key);
  return (words.length ? words : common(mine).filter((word) => !others.has(word))).join(", ");
}

class About extends Dialog {
  render({ name, where, moves, rules, book, close }) {
    const verbs = [...new Map(moves.map((move) => [move.verb, move])).values()];
    return html`<dialog ref=${this.box} class="drawer about" aria-labelledby="about" onClose=${close} onClick=${(event) => event.target === this.box.current && close()}>
      <div class="inside">
        <div class="top">
          <h2 id="about">${name}</h2>
          <button type="button" class="plain" onClick=${close}>${say("close")}</button>
        </div>
        ${where && html`<p class="quiet">${where}</p>`}
        ${!verbs.length && html`<p>${say("nothing-with-it")}</p>`}
        ${verbs.map((each) => html`<${Verb} key=${each.verb} ...${each} moves=${moves} rules=${rules} book=${book} close=${close} />`)}
      </div>
    </dialog>`;
  }
}

// What can be done by one verb: each action if they are few, what the reference card says, and the rule.
function Verb({ verb, clause, moves, rules, book, close }) {
  const said = [...new Set(moves.filter((move) => move.verb === verb).map((move) => sentence(move, move.said)))];
  const lines = rules.flat().filter((line) => isLineOn(line, verb));
  const look = () => {
    close();
    book.open(clause);
  };
  return html`<section>
    <h3>${verbName(verb)}</h3>
    ${said.length <= FEW && said.map((each) => each !== verb && html`<p>${each}</p>`)}
    ${lines.map((line) => html`<p class="quiet">${line}</p>`)}
    ${book.rules?.clauses.has(clause) && html`<button type="button" class="plain" onClick=${look}>${say("rule", { clause })}</button>`}
  </section>`;
}
