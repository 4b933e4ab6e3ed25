/** Owns: a plan's note, of which three lines show until the reader wants the rest. */
import { useCallback, useState } from "react";
import { planWords } from "../words/plan.ts";

const FOLDED = "line-clamp-3";

export function PlanNote({ note }: { note: string }) {
  const words = planWords().note;
  const [open, setOpen] = useState(false);
  const [long, setLong] = useState(false);
  const measure = useCallback((text: HTMLElement | null) => {
    if (!text) return;
    // Unfolded, it always fits.
    const observer = new ResizeObserver(() => {
      if (text.classList.contains(FOLDED)) setLong(text.scrollHeight > text.clientHeight);
    });
    observer.observe(text);
    return () => observer.disconnect();
  }, []);
  return (
    <div className="text-ink-soft">
      <p ref={measure} className={`break-words whitespace-pre-wrap ${open ? "" : FOLDED}`}>
        {note}
      </p>
      {long ? (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="min-h-6 cursor-pointer text-sm font-semibold underline underline-offset-4"
        >
          {open ? words.less : words.more}
        </button>
      ) : null}
    </div>
  );
}
