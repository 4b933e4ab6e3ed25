/** Owns: the notice that a new version is available. It is installed only when the person asks for it. */
import { useState, useSyncExternalStore } from "react";
import { Button } from "../ui/button.tsx";
import { newVersion, onNewVersion } from "./pwa.ts";
import { appWords } from "./words.ts";

export function NewVersion() {
  const words = appWords().newVersion;
  const bring = useSyncExternalStore(onNewVersion, newVersion);
  const [later, setLater] = useState(false);
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-0 bottom-20 z-40 flex justify-center px-4 lg:bottom-6"
    >
      {bring && !later ? (
        <div className="rise pointer-events-auto flex flex-wrap items-center gap-x-4 gap-y-2 rounded-m border border-edge bg-card px-5 py-3 shadow-lift">
          <p>{words.text}</p>
          <div className="flex flex-wrap gap-1">
            <Button look="action" onPress={bring}>
              {words.bring}
            </Button>
            <Button look="plain" onPress={() => setLater(true)}>
              {words.later}
            </Button>
          </div>
        </div>
      ) : null}
    </div>
  );
}
