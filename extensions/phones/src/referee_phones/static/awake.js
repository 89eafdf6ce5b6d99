// Keeps the screen on while the table's page is open on it. Browsers offer that to pages alone that are encrypted, or
// opened on the machine itself; and they take it back whenever the page is out of sight.

export function stayAwake() {
  if (!("wakeLock" in navigator)) return;
  const ask = () => {
    if (document.visibilityState === "visible") navigator.wakeLock.request("screen").catch(() => {}); // the battery is low
  };
  document.addEventListener("visibilitychange", ask);
  ask();
}
