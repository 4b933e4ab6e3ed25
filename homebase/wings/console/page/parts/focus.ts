/** Owns where the focus goes when what had it is no longer there. */

export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/** After the click that has led here, with which the browser moves the focus by itself. @returns what takes it back */
export function afterClick(focus: () => unknown): () => void {
  const timer = setTimeout(focus);
  return () => clearTimeout(timer);
}

/** To the rows of the view, or to its heading. */
export function focusView(): void {
  const rows = document.querySelector<HTMLElement>(".grid, .list");
  (rows ?? document.querySelector<HTMLElement>("main h1"))?.focus();
}

export function keepFocus(): void {
  if (isFocusLost()) focusView();
}
