// Dragging as two touches: the thing where a drag begins, and what it is dropped on. Things carry their key in `data-spot`.

const FROM_PX = 8;

// mayDrag(key): whether a drag may begin on it. begin(key), drop(key): it began there, and ended on another thing.
// play(): a card ended elsewhere above the cards.
export class Drag {
  constructor({ mayDrag, begin, drop, play }) {
    Object.assign(this, { mayDrag, begin, drop, play, from: null });
    this.listeners = {
      onPointerDown: (event) => this.down(event),
      onPointerMove: (event) => this.move(event),
      onPointerUp: (event) => this.up(event),
      onPointerCancel: () => this.end(),
      onTouchMove: (event) => this.from && event.preventDefault(), // else the page scrolls, and the browser ends the drag
      onClickCapture: (event) => this.click(event),
    };
  }

  down({ target, button, isPrimary, pointerType, clientX, clientY }) {
    this.moved = false;
    const thing = target.closest("[data-spot]");
    const key = thing?.dataset.spot;
    const scrolls = pointerType !== "mouse" && thing?.closest(".fan.many"); // cards that fill the display
    const held = thing && !scrolls && this.mayDrag(key);
    this.from = held && button === 0 && isPrimary ? { thing, key, x: clientX, y: clientY } : null;
  }

  move({ clientX, clientY, buttons }) {
    if (!this.from) return;
    if (!buttons) return this.end();
    const [across, down] = [clientX - this.from.x, clientY - this.from.y];
    if (!this.moved && Math.hypot(across, down) < FROM_PX) return;
    if (!this.moved) this.begin(this.from.key);
    this.moved = true;
    const { thing } = this.from;
    if (!thing.matches(".piece, .card")) return;
    const scale = thing.ownerSVGElement?.getScreenCTM().a ?? 1;
    thing.classList.add("dragged");
    thing.style.translate = `${across / scale}px ${down / scale}px`;
  }

  up({ clientX, clientY }) {
    const { from, moved } = this;
    this.end();
    if (!from || !moved) return;
    const below = document.elementsFromPoint(clientX, clientY);
    const key = below.map((each) => each.closest("[data-spot]")?.dataset.spot).find((each) => each && each !== from.key);
    const top = from.thing.closest(".fan")?.getBoundingClientRect().top;
    if (!(key && this.drop(key)) && clientY < top) this.play();
  }

  end() {
    this.from?.thing.classList.remove("dragged");
    this.from?.thing.style.removeProperty("translate");
    this.from = null;
  }

  // The browser sends a click after a drag that ends where it began.
  click(event) {
    if (this.moved) event.stopPropagation();
    this.moved = false;
  }
}
