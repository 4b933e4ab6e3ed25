/** Owns the frame of details beside a list, which they cover where the window is narrow; and an error at its place. */
import type { ReactNode } from "react";
import { useMedia } from "./media.ts";

interface DetailsPaneProps {
  title: ReactNode;
  /** The list that they cover. */
  of: string;
  /** At the right of the title. */
  aside?: ReactNode;
  actions?: ReactNode;
  onClose(): void;
  children: ReactNode;
}

export function DetailsPane({ title, of, aside, actions, onClose, children }: DetailsPaneProps) {
  const narrow = useMedia("(max-width: 1079px)");
  const Heading = narrow ? "h1" : "h2";
  return (
    <section className="pane" role={narrow ? "main" : undefined} aria-label="Details">
      <header>
        {narrow && (
          <button type="button" onClick={onClose}>
            ← {of}
          </button>
        )}
        {title !== undefined && <Heading className="title">{title}</Heading>}
        {aside}
        {!narrow && (
          <button type="button" className="plain" aria-label="Close the details" onClick={onClose}>
            ×
          </button>
        )}
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its end is reached by the keyboard */}
      <div className="body" tabIndex={0} role="group" aria-label="Values">
        {children}
      </div>
      {actions && <footer>{actions}</footer>}
    </section>
  );
}

/** Nothing where there is no error. */
export function Alert({ text }: { text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p role="alert" className="mark shut">
      {text}
    </p>
  );
}
