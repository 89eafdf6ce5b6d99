// A box over the page, which keeps the keyboard until it is closed. props.close(): closes it.

import { Component, createRef } from "./view.js";

export class Dialog extends Component {
  constructor(props) {
    super(props);
    this.box = createRef();
  }

  componentDidMount() {
    const box = this.box.current;
    if (box.showModal) {
      box.showModal();
      return;
    }
    // Safari before 15.4 knows no dialogs: there it is a box over the page, as modal as it can be.
    box.setAttribute("open", "");
    box.setAttribute("role", "dialog");
    box.setAttribute("aria-modal", "true");
    this.before = document.activeElement;
    this.escape = ({ key }) => key === "Escape" && this.props.close();
    document.addEventListener("keydown", this.escape);
    box.querySelector("button").focus();
  }

  // A browser gives the keyboard back to the button that opened a dialog when that is closed, not when it goes away.
  componentWillUnmount() {
    this.box.current?.close?.();
    if (!this.escape) return;
    document.removeEventListener("keydown", this.escape);
    this.before?.focus();
  }
}
