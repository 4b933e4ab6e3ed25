/** Owns: the browser's own question whether to install the app, held back for a moment at which somebody wants it. */
import { createStore } from "../store.ts";

/** Chromium's event; other browsers ask in their menus only. */
interface InstallQuestion extends Event {
  prompt(): Promise<unknown>;
}

const question = createStore<InstallQuestion | null>(null);

/** The question, while the browser has one. */
export const useInstallQuestion = question.useValue;

export function holdInstallQuestion(): void {
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    question.set(event as InstallQuestion);
  });
}

/** Shows the question, which the browser asks once. */
export async function askToInstall(): Promise<void> {
  const held = question.get();
  question.set(null);
  await held?.prompt();
}
