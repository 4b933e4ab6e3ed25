/** Owns: delaying a search until a person stops typing, to spare shared servers. */
import { useEffect, useState } from "react";

const PAUSE_MS = 450;

export function useDebounced(text: string): string {
  const [debounced, setDebounced] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return debounced;
}
