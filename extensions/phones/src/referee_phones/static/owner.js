// The owner's page: one step of whatever is being done, and what may be chosen. It knows no task by name.

import { Choices } from "./choices.js";
import { Code } from "./invitations.js";
import { Broken, Link } from "./parts.js";
import { Component, html } from "./view.js";
import { say } from "./words.js";

const CODE = 64;

export function OwnerPage({ step, file, refusals, link, note, tap, open, again }) {
  const list = { serial: step.serial, lines: step.choices, path: [], back: false };
  return html`<div class="page owner">
    <header class="bar">
      <span class="game"><${Link} state=${link} />${say("owners-page")}</span>
      <button type="button" class="plain" onClick=${open}>${say("menu")}</button>
    </header>
    <main>
      <${Broken} state=${link} again=${again} told=${say("elsewhere")} open=${say("open-here")} />
      <div class="head">
        <h1>${step.doing}</h1>
        ${step.of > 0 && html`<${Progress} done=${step.done} of=${step.of} />`}
      </div>
      ${note && html`<p class="note" role="status">${note}</p>`}
      <section class="ask" aria-labelledby="asks">
        <h2 id="asks">${step.now}</h2>
        ${step.seen && html`<p class="wanted">${step.seen}</p>`}
        ${step.remarks.length > 0 && html`<ul class="box remarks">${step.remarks.map((each) => html`<li key=${each}>${each}</li>`)}</ul>`}
        ${step.picture && html`<img class="sight" src=${`data:image/jpeg;base64,${step.picture}`} alt=${say("camera-picture")} />`}
        ${step.address && html`<div class="box way">
          <${Code} address=${step.address} label=${say("scan-page", { address: step.address })} />
          ${/^https?:/i.test(step.address) && html`<a href=${step.address} target="_blank" rel="noopener">${step.address}</a>`}
        </div>`}
        ${step.file && html`<${Taking} file=${file} name=${step.file.name} />`}
        ${step.choices.length > 0 && html`<${Choices} refusals=${refusals} list=${list} name=${step.now} tap=${tap} />`}
      </section>
    </main>
  </div>`;
}

function Progress({ done, of }) {
  return html`<p class="progress">
    <progress max=${of} value=${done} aria-hidden="true"></progress>
    <span>${say("step-of", { done: Math.min(done + 1, of), of })}</span>
  </p>`;
}

// What may be taken along, once all of it is here.
function Taking({ file, name }) {
  if (!file?.address) return html`<p class="quiet" role="status">${say("fetching", { name })}</p>`;
  return html`<a class="plain strong taking" href=${file.address} download=${name}>${say("keep-file", { name })}</a>`;
}

// A table that nobody has claimed with this browser: its code is asked for.
export class Claiming extends Component {
  render({ claim }) {
    const submit = (event) => {
      event.preventDefault();
      const code = new FormData(event.target).get("code").trim();
      if (code) claim(code);
    };
    return html`<form class="naming" onSubmit=${submit}>
      <label for="code">${say("claim-code")}</label>
      <div class="row">
        <input id="code" name="code" maxlength=${CODE} autocomplete="off" autocapitalize="characters" spellcheck="false" aria-describedby="code-hint" />
        <button type="submit" class="plain strong">${say("claim")}</button>
      </div>
      <p id="code-hint" class="quiet">${say("claim-hint")}</p>
    </form>`;
  }
}

// A file that comes in parts. done(address): called once it is whole, with where this browser keeps it.
export function gathering(done) {
  let parts = [];
  return ({ part, at, of }) => {
    if (at === 0) parts = [];
    parts[at] = Uint8Array.from(atob(part), (each) => each.charCodeAt(0));
    if (parts.filter(Boolean).length === of) done(URL.createObjectURL(new Blob(parts)));
  };
}
