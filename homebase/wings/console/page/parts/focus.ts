/** Owns where the focus goes when what had it is no longer there. */

export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/** To the rows of the view, or to its heading. */
export function focusView(): void {
  const rows = document.querySelector<HTMLElement>(".grid, .list");
  (rows ?? document.querySelector<HTMLElement>("main h1"))?.focus();
}

export function keepFocus(): void {
  if (isFocusLost()) focusView();
}
