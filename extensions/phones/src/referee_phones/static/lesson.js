// A lesson: a card over the board that says what to do next, and why. The table knows its steps, follows them and plays the
// other seats (`teaching` of the virtual table); what a step wants is all that is lit.

import { Component, html } from "./view.js";
import { say } from "./words.js";

// at, of: the step, and how many there are. told: [sentence, clause] up to it. refusal: of what it tries, in vain. reads: it
// is only read. waits: its match has not begun. wish(what): "next" or "leave". book: see rulebook.js. Leave is apart, so
// that no tap on another button meets it.
export class LessonCard extends Component {
  constructor(props) {
    super(props);
    this.state = { shown: props.at, tried: false };
  }

  render({ at, of, told, refusal, reads, waits, wish, book }, { shown, tried }) {
    const [text, clause] = told[shown];
    const now = shown === at;
    const last = now && at === of - 1;
    const tries = now && refusal && !tried;
    const next = () => (now ? wish(last ? "leave" : "next") : this.setState({ shown: shown + 1 }));
    return html`<section class="lesson" role="status" aria-label=${say("learn")}>
      <div class="row top">
        <span class="quiet">${say("step-of", { done: shown + 1, of })}</span>
        ${!last && html`<button type="button" class="plain" onClick=${() => wish("leave")}>${say("leave-lesson")}</button>`}
      </div>
      <p>${text}</p>
      ${now && refusal && tried && html`<p class="refusal"><strong>${refusal}</strong></p>`}
      ${now && waits && html`<p class="quiet">${say("makes-room")}</p>`}
      <div class="row">
        ${tries && html`<button type="button" class="plain strong" onClick=${() => this.setState({ tried: true })}>${say("try-it")}</button>`}
        ${!tries && (!now || reads || last) && html`<button type="button" class="plain strong" onClick=${next}>${last ? say("play-on") : say("next")}</button>`}
        ${shown > 0 && html`<button type="button" class="plain" onClick=${() => this.setState({ shown: shown - 1 })}>${say("back")}</button>`}
        ${book.rules?.clauses.has(clause) && html`<button type="button" class="plain" onClick=${() => book.open(clause)}>${say("rule", { clause })}</button>`}
      </div>
    </section>`;
  }
}
