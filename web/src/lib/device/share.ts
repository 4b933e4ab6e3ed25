/** Owns: handing data to the device's share sheet. */

/** False where the device has none for it, or does not allow it. Dismissing the sheet is not an error. */
export async function share(data: ShareData): Promise<boolean> {
  if (!navigator.canShare?.(data)) return false;
  try {
    await navigator.share(data);
    return true;
  } catch (error) {
    return error instanceof DOMException && error.name === "AbortError";
  }
}
