// Keeps the screen on while the table's page is open on it. Browsers offer that to pages alone that are encrypted, or
// opened on the machine itself; they take it back whenever the page is out of sight, and Safari gives it only to a touch.

export function stayAwake() {
  if (!("wakeLock" in navigator)) return;
  let held = null;
  const ask = async () => {
    if (document.visibilityState !== "visible" || held?.released === false) return;
    held = await navigator.wakeLock.request("screen").catch(() => null); // the battery is low, or nobody touched the page
  };
  document.addEventListener("visibilitychange", ask);
  document.addEventListener("click", ask);
  ask();
}
