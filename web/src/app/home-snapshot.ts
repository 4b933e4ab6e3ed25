/**
 * Owns: storing the home screen as HTML, as this person last saw it on this device. The page shows it until the app
 * draws the screen itself (web/first-frame.ts), so that people read their plans before the code is there.
 */
import { HOME_SNAPSHOT, type HomeSnapshot, removeSnapshot } from "./home-snapshot-key.ts";

/** Longer than answers that arrive together take to be drawn. */
const SETTLE_MS = 1_000;

let timer: ReturnType<typeof setTimeout> | undefined;

/** Stores the screen once it stays as it is. */
export function keepSnapshot(person: string): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    delete document.documentElement.dataset.snapshot;
    if (location.pathname === "/home") store(person);
  }, SETTLE_MS);
}

function store(person: string): void {
  const frame = document.getElementById("main")?.parentElement;
  const script = document.querySelector("script[type=module]")?.getAttribute("src");
  if (!frame || !script) return;
  const snapshot: HomeSnapshot = { person, script, day: new Date().toDateString(), html: htmlOf(frame) };
  try {
    localStorage.setItem(HOME_SNAPSHOT, JSON.stringify(snapshot));
  } catch {
    // Where there is no room for it, the next page begins with an empty frame.
    removeSnapshot();
  }
}

/** The part of the screen that is in view, without pictures, which would compete with the app's code. */
function htmlOf(frame: HTMLElement): string {
  const copy = frame.cloneNode(true) as HTMLElement;
  const cards = [...frame.querySelectorAll("main li")];
  for (const [index, card] of [...copy.querySelectorAll("main li")].entries()) {
    if ((cards[index]?.getBoundingClientRect().top ?? 0) + scrollY > innerHeight) card.remove();
  }
  for (const element of copy.querySelectorAll("image, [role=status], [role=alert]")) element.remove();
  for (const image of copy.querySelectorAll("img")) image.removeAttribute("src");
  // The content security policy forbids style attributes in HTML; scripts may set styles.
  for (const element of copy.querySelectorAll<HTMLElement>("[style]")) {
    element.dataset.style = element.style.cssText;
    element.removeAttribute("style");
  }
  return copy.outerHTML;
}
