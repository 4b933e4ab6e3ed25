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

/** Gives a text and its link to the share sheet, or else to the clipboard. */
export async function shareOrCopy(data: { title: string; text: string; url: string }) {
  if (await share(data)) return "shared";
  return navigator.clipboard.writeText(`${data.text}\n${data.url}`).then(
    () => "copied" as const,
    () => "refused" as const,
  );
}
