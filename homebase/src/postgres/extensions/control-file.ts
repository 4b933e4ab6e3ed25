/** Owns the format of an extension's control file, and who may create the extension. */

/** A file in the server's extension folder. */
export interface ExtensionFile {
  readonly name: string;
  readonly text: string;
}

/**
 * A control file that lets role postgres create the extension; the superuser runs its script, as on hosted.
 */
export function trusted(control: string): string {
  return `${control.replace(/^\s*(?:superuser|trusted)\s*=.*$/gm, "").trimEnd()}\nsuperuser = true\ntrusted = true\n`;
}

/** The extension that a control file or script belongs to. */
export function extensionOf(file: string): string {
  return file.replace(/(?:--.*)?\.(?:control|sql)$/, "");
}
