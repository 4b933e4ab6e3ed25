/** Owns the button that copies a text, and says so. */
import { useEffect, useState } from "react";
import { Button } from "./controls.tsx";

const COPIED_MS = 1_500;

interface CopyProps {
  /** Asked for when the button is pressed, where it is a function. */
  text: string | (() => Promise<string>);
  label: string;
  shortcut?: string;
}

export function Copy({ text, label, shortcut }: CopyProps) {
  const [done, setDone] = useState<string>();
  useEffect(() => {
    if (done === undefined) return;
    const timer = setTimeout(() => setDone(undefined), COPIED_MS);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : await text());
      setDone("Copied");
    } catch {
      setDone("Not copied");
    }
  };
  const said = <span aria-live="polite">{done ?? label}</span>;
  return <Button label={said} shortcut={shortcut} onClick={() => void copy()} />;
}
