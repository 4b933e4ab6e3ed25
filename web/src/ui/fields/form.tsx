/** Owns: leading the person to what is wrong in a form that they tried to send. */

/** Focuses the first field of the form that is marked as wrong, once the marks are drawn. */
export function focusFirstProblem(form: HTMLFormElement | null): void {
  requestAnimationFrame(() => {
    const field = form?.querySelector<HTMLElement>('[aria-invalid="true"]');
    // Centred, so that neither a sticky bar nor the navigation at the bottom covers it.
    field?.scrollIntoView({ block: "center" });
    field?.focus({ preventScroll: true });
  });
}
