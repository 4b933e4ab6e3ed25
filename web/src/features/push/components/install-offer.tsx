/** Owns: the line that offers to keep the app on the home screen, once a plan that one comes to is decided. */
import { useState } from "react";
import { askToInstall, useInstallQuestion } from "../../../lib/device/install.ts";
import { readStored, store } from "../../../lib/device/storage.ts";
import { Button } from "../../../ui/button.tsx";
import { pushWords } from "../words.ts";

const KEY = "nosh.install-declined";

export function InstallOffer() {
  const words = pushWords().home;
  const question = useInstallQuestion();
  const [declined, setDeclined] = useState(() => readStored(KEY) !== null);
  if (!question || declined) return null;
  return (
    <section
      aria-label={words.name}
      className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line pt-4"
    >
      <p className="text-ink-soft max-sm:w-full">{words.ask}</p>
      <Button onPress={() => void askToInstall()}>{words.yes}</Button>
      <Button
        look="plain"
        onPress={() => {
          store(KEY, new Date().toISOString());
          setDeclined(true);
        }}
      >
        {pushWords().offer.no}
      </Button>
    </section>
  );
}
