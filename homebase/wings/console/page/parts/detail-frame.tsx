/** Owns the frame of details beside a list, which they cover where the window is narrow; reasons and errors at their places; and the pages of a list. */
import { type ReactNode, useEffect, useRef } from "react";
import { Button, Plain, Scrolled } from "./controls.tsx";
import { afterClick, keepFocus } from "./focus.ts";
import { useMedia } from "./media.ts";
import type { Answered } from "./use-answer.ts";

interface DetailsPaneProps {
  title: ReactNode;
  /** The list that they cover. */
  of: string;
  /** At the right of the title. */
  aside?: ReactNode;
  actions?: ReactNode;
  /** What the list says, where it is covered. */
  failure?: string | undefined;
  onClose(): void;
  children: ReactNode;
}

export function DetailsPane(props: DetailsPaneProps) {
  const { title, of, aside, actions, failure, onClose, children } = props;
  const narrow = useMedia("(max-width: 1079px)");
  const heading = useRef<HTMLHeadingElement>(null);
  // The list that they cover cannot have the focus.
  useEffect(() => (narrow ? afterClick(() => heading.current?.focus()) : undefined), [narrow]);
  useEffect(() => keepFocus, []);
  return (
    <section className="pane" role={narrow ? "main" : undefined} aria-label="Details">
      <header>
        {narrow && <Button label={`← ${of}`} data-key="Escape" onClick={onClose} />}
        {narrow && (
          <h1 className="unseen" tabIndex={-1} ref={heading}>
            {of}
          </h1>
        )}
        {title !== undefined && <h2 className="title">{title}</h2>}
        {aside}
        {!narrow && <Plain label="×" aria-label="Close the details" data-key="Escape" onClick={onClose} />}
      </header>
      <Scrolled className="body" label="Values">
        {narrow && <Alert text={failure} />}
        {children}
      </Scrolled>
      {actions && <footer>{actions}</footer>}
    </section>
  );
}

interface ReasonsProps extends Partial<Answered<"why">> {
  /** Above the sentences. */
  children?: ReactNode;
}

/** Why an answer is as it is, once the policies were asked. */
export function Reasons({ answer, failure, asking = false, children }: ReasonsProps) {
  return (
    <div className="reasons" aria-busy={asking}>
      {asking && <p className="note">Asking the policies…</p>}
      {!asking && failure !== undefined && <p className="note">{failure}</p>}
      {!asking && children}
      {!asking && answer?.sentences.map((sentence) => <p key={sentence}>{sentence}</p>)}
    </div>
  );
}

/** The parts of the policies, as `homebase explain` prints them. */
export function AllParts({ text }: { text: string }) {
  return (
    <details>
      <summary>All parts of the policies</summary>
      <pre>{text}</pre>
    </details>
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

interface PagesProps<Cursor> {
  /** The cursors of the pages up to this one; none for the first. */
  pages: readonly Cursor[];
  /** Undefined for the last page. */
  next: Cursor | undefined;
  onPages(pages: readonly Cursor[]): void;
}

export function Pages<Cursor>({ pages, next, onPages }: PagesProps<Cursor>) {
  const page = pages.length;
  if (page === 0 && next === undefined) return null;
  const forth = () => next !== undefined && onPages([...pages, next]);
  return (
    <span className="pages">
      <Plain label="← Previous" disabled={page === 0} onClick={() => onPages(pages.slice(0, -1))} /> page{" "}
      {page + 1} <Plain label="Next →" disabled={next === undefined} onClick={forth} />
    </span>
  );
}
