/**
 * Owns: optional parts of a screen that are loaded after it. Nothing is shown until a part is loaded; if it cannot be
 * loaded (no connection), the rest of the screen is not affected.
 */
import { type ComponentType, useEffect, useState } from "react";
import { isOnline, onConnectionChange } from "../lib/device/online.ts";

/**
 * @param load imports the component; tried again when the connection is back. Chromium does not repeat a failed import:
 *   there the part appears after a reload.
 */
export function lazyOptional<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function LazyOptional(props: Props) {
    const [Part, setPart] = useState(() => loaded);
    useEffect(() => {
      if (Part) return;
      let left = false;
      const attempt = () =>
        load().then(
          (component) => {
            loaded = component;
            if (!left) setPart(() => component);
          },
          () => undefined,
        );
      void attempt();
      const stop = onConnectionChange(() => {
        if (isOnline()) void attempt();
      });
      return () => {
        left = true;
        stop();
      };
    }, [Part]);
    return Part ? <Part {...props} /> : null;
  };
}
