// Keeps the site: after the first visit it opens without a network. A new version is fetched whole before it is used.

// Names of this site's caches begin with this; its host may keep others, and other copies of the site.
const OURS = `table-referee:${new URL(".", self.location.href).pathname}:`;
const VERSION = OURS + "VERSION";
const PYTHON = OURS + "PYTHON";
const FILES = [];

self.addEventListener("install", (event) => {
  event.waitUntil(fetched().then(() => self.skipWaiting()));
});

// From the network, not from what the browser still holds of the version before.
async function fetched() {
  const cache = await caches.open(VERSION);
  await cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
}

self.addEventListener("activate", (event) => {
  const old = async () => {
    const names = (await caches.keys()).filter((name) => name.startsWith(OURS));
    return Promise.all(names.filter((name) => name !== VERSION && name !== PYTHON).map((name) => caches.delete(name)));
  };
  event.waitUntil(old().then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || new URL(event.request.url).origin !== location.origin) return;
  event.respondWith(found(event.request));
});

async function found(request) {
  const cache = await caches.open(VERSION);
  return (await cache.match(request, { ignoreSearch: true })) ?? fetch(request);
}
