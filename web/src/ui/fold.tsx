/** Owns: a part of a form that is folded away until it is needed, with a summary of what it holds. */
import { type ReactNode, useId, useState } from "react";

/** @param needed shows it whatever the person chose, for what must be seen, such as a problem */
export function Fold({
  title,
  summary,
  needed = false,
  children,
}: {
  title: string;
  summary: string;
  needed?: boolean;
  children: ReactNode;
}) {
  const [wanted, setWanted] = useState(false);
  const id = useId();
  const open = wanted || needed;
  return (
    <section className="paper" aria-labelledby={`${id}title`}>
      <div className="relative flex items-center gap-3 px-4">
        <button
          type="button"
          id={`${id}title`}
          aria-expanded={open}
          aria-controls={id}
          aria-describedby={`${id}summary`}
          onClick={() => setWanted(!open)}
          // The whole line is its surface.
          className="min-h-12 cursor-pointer text-start font-display text-base after:absolute after:inset-0"
        >
          {title}
        </button>
        <span
          id={`${id}summary`}
          className="min-w-0 flex-1 truncate text-end text-sm text-ink-soft underline decoration-line decoration-2 underline-offset-4"
        >
          {summary}
        </span>
      </div>
      <div id={id} hidden={!open} className="border-t border-line p-4">
        {open ? <div className="flex flex-col gap-4">{children}</div> : null}
      </div>
    </section>
  );
}
