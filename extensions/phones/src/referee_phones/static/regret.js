// Undoes a wrong tap: a button for as long as the table takes it, with a bar that runs out. Its room stays until the page is
// asked something else, so that no line moves below a finger.

import { Component, html } from "./view.js";
import { say } from "./words.js";

// ends: on the table's clock. now(): that clock. undo(): false if it cannot be sent.
export class Regret extends Component {
  constructor(props) {
    super(props);
    this.left = props.ends - props.now();
    this.state = { gone: this.left <= 0 };
  }

  componentDidMount() {
    this.timer = setTimeout(() => this.setState({ gone: true }), this.left * 1000);
  }

  componentWillUnmount() {
    clearTimeout(this.timer);
  }

  render({ undo }, { gone }) {
    return html`<div class="regrets">
      ${!gone && html`<button type="button" class="plain regret" onClick=${() => undo() && this.setState({ gone: true })}>
        <span aria-hidden="true">↶</span> ${say("undo")}<i style=${{ animationDuration: `${this.left}s` }} />
      </button>`}
    </div>`;
  }
}
