/** Owns: the one polite live region. Changes that the person did not cause are announced here to screen readers. */
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from "react";

const Announce = createContext<(text: string) => void>(() => undefined);

export function AnnouncerProvider({ children }: { children: ReactNode }) {
  const [line, setLine] = useState({ text: "", turn: 0 });
  const last = useRef({ text: "", at: 0 });
  const announce = useCallback((text: string) => {
    const now = Date.now();
    // A burst of equal events (one vote on ten options) is one sentence.
    if (last.current.text === text && now - last.current.at < 3000) return;
    last.current = { text, at: now };
    setLine((before) => ({ text, turn: before.turn + 1 }));
  }, []);
  return (
    <Announce value={announce}>
      {children}
      <p aria-live="polite" className="sr-only">
        <span key={line.turn}>{line.text}</span>
      </p>
    </Announce>
  );
}

export function useAnnounce(): (text: string) => void {
  return useContext(Announce);
}
