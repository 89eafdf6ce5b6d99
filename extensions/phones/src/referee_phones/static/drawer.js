// The menu: what the table always offers this seat, and the switches of the page itself.

import { Choices } from "./choices.js";
import { Dialog } from "./dialog.js";
import { keep, kept } from "./kept.js";
import { Alert, InClear, Spare } from "./parts.js";
import { aloud, on, quiet } from "./said.js";
import { html } from "./view.js";
import { language, say } from "./words.js";

// menu: what may be tapped, null if nothing is offered. alert: what is not so, or was refused. pick(code): another
// language. leave(): null if there is no seat. book: see rulebook.js.
export class Drawer extends Dialog {
  constructor(props) {
    super(props);
    this.state = { leaving: false };
  }

  componentDidUpdate({ menu: before, refusals: earlier }) {
    const { menu, refusals, close } = this.props;
    const done = menu && menu.serial !== before?.serial;
    // What was chosen has been done, or did not count: the page behind shows it. What the rules refuse stands here, too.
    if (this.tapped && (done || refusals !== earlier)) {
      this.tapped = false;
      if (done && menu.path.length) return;
      close();
      if (done) window.scrollTo({ top: 0 }); // where what was chosen asks on
    }
  }

  tap(serial, line) {
    const sent = this.props.tap(serial, line);
    this.tapped = sent;
    return sent;
  }

  render({ menu, alert = [], refusals, close, leave, about, pick, seated, rename, spare, book }, { leaving }) {
    return html`<dialog ref=${this.box} class="drawer" aria-label=${say("menu")} onClose=${close} onClick=${(event) => event.target === this.box.current && close()}>
      <div class="inside">
        <div class="top">
          <h2>${say("menu")}</h2>
          <button type="button" class="plain" onClick=${close}>${say("close")}</button>
        </div>
        <${Alert} alert=${alert} book=${book} />
        ${menu?.asks && html`<p class="asks">${menu.asks}</p>`}
        ${menu && menu.lines.length + menu.back > 0 && html`<${Choices} refusals=${refusals} list=${menu} name=${menu.asks ?? say("menu")} tap=${(...at) => this.tap(...at)} />`}
        ${book && html`<button type="button" class="plain wide" onClick=${() => book.open()}>${say("all-rules")}</button>`}
        <section class="switches" aria-labelledby="this-page">
          <h2 id="this-page">${say("this-page")}</h2>
          <label>${say("language")} <${Languages} about=${about} pick=${pick} /></label>
          <${Look} />
          <${Switch} name="aloud" label=${say("read-aloud")} changed=${(now) => (now ? aloud(say("read-aloud")) : quiet())} />
          <${Switch} name="sounds" label=${say("sounds")} changed=${() => {}} />
          ${seated && html`<${Switch} name="hints" label=${say("hints")} changed=${() => {}} />`}
          ${rename && html`<button type="button" class="plain wide" onClick=${rename}>${say("your-name")}</button>`}
          ${about.audience !== "table" && html`<${InClear} />`}
          <${Spare} number=${spare} />
          ${seated && !leaving && html`<button type="button" class="plain wide" onClick=${() => this.setState({ leaving: true })}>${say("leave")}</button>`}
          ${leaving && html`<div class="sure" role="group" aria-label=${say("leave")}>
            <p>${say("leave-sure")}</p>
            <button type="button" class="plain" onClick=${() => this.setState({ leaving: false })}>${say("no")}</button>
            <button type="button" class="plain warn" onClick=${leave}>${say("yes")}</button>
          </div>`}
        </section>
      </div>
    </dialog>`;
  }
}

export function Languages({ about, pick }) {
  return html`<select aria-label=${say("language")} value=${language} onChange=${({ target }) => pick(target.value)}>
    ${about.languages.map(({ code, tag, name }) => html`<option value=${code} lang=${tag} selected=${code === language}>${name}</option>`)}
  </select>`;
}

function Switch({ name, label, changed }) {
  const set = ({ target }) => {
    keep(name, target.checked);
    changed(target.checked);
  };
  return html`<label class="switch">${label} <input type="checkbox" role="switch" checked=${on(name)} onChange=${set} /></label>`;
}

function Look() {
  const set = ({ target }) => {
    keep("look", target.value === "auto" ? null : target.value);
    look();
  };
  return html`<label>${say("look")}
    <select onChange=${set}>
      ${["auto", "light", "dark"].map((each) => html`<option value=${each} selected=${each === kept("look", "auto")}>${say(`look-${each}`)}</option>`)}
    </select>
  </label>`;
}

// The colours that were chosen here, else those of the device.
export function look() {
  document.documentElement.dataset.look = kept("look", "auto");
}
