// The link of a page to the table in this tab, in place of the WebSocket to a table. The site's own page holds the table.

export class TabSocket {
  constructor(address) {
    this.readyState = WebSocket.CONNECTING;
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    const folders = new URL(address).pathname.split("/");
    const audience = folders[folders.length - 2];
    port1.onmessage = ({ data }) => (data === true ? this.opened() : this.onmessage?.({ data }));
    const language = new URL(address).searchParams.get("lang");
    parent.postMessage({ page: audience, language }, location.origin, [port2]);
  }

  opened() {
    this.readyState = WebSocket.OPEN;
    this.onopen?.();
  }

  send(text) {
    if (JSON.parse(text).go) parent.postMessage({ leave: true }, location.origin);
    else this.port.postMessage(text);
  }

  close() {
    this.readyState = WebSocket.CLOSED;
    this.port.close();
  }
}

export const open = (address) => new TabSocket(address);

export const refusal = () => Promise.resolve(null);
