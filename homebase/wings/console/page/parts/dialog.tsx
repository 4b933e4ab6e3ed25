/** Owns the frame of a dialog: the browser's own, which keeps the focus and closes with Esc. */
import { type ReactNode, useEffect, useId, useRef } from "react";

interface DialogProps {
  title: string;
  wide?: boolean;
  onClose(): void;
  children: ReactNode;
}

/** Open for as long as it is rendered. */
export function Dialog({ title, wide = false, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={heading} className={wide ? "wide" : undefined} onClose={onClose}>
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}
