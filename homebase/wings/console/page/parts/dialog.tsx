/** Owns the frame of a dialog: the browser's own, which keeps the focus and closes with Esc; and of one with a form. */
import { type ReactNode, type SyntheticEvent, useId, useLayoutEffect, useRef } from "react";
import { Button } from "./controls.tsx";
import { Alert } from "./detail-frame.tsx";
import { keepFocus } from "./focus.ts";
import { useAttempt } from "./use-answer.ts";

interface DialogProps {
  title: string;
  wide?: boolean;
  onClose(): void;
  children: ReactNode;
  /** Before the button that closes it. */
  actions?: ReactNode;
  /** Of that button; "" for none. */
  close?: string;
}

/** Open for as long as it is rendered. */
export function Dialog({ title, wide = false, actions, close = "Close", onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // Closed before it is removed, so that the focus goes back to where it was.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => {
      element?.close();
      keepFocus();
    };
  }, []);
  // At once: the event `close` comes later, and keys that are pressed meanwhile would be the dialog's.
  const cancel = (event: SyntheticEvent) => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog ref={dialog} aria-labelledby={heading} className={wide ? "wide" : undefined} onCancel={cancel}>
      <h2 id={heading}>{title}</h2>
      {children}
      {close !== "" && (
        <div className="actions">
          {actions}
          <Button label={close} onClick={onClose} />
        </div>
      )}
    </dialog>
  );
}

interface FormDialogProps extends Omit<DialogProps, "actions" | "close"> {
  /** Of the button that submits. */
  verb: string;
  /** The button's label meanwhile. */
  busy?: string;
  /** Labels beside their fields. */
  beside?: boolean;
  /** Between the buttons that submit and cancel. */
  more?: ReactNode;
  /** @param signal aborted when the dialog is closed. @throws what stands in the form then, which stays open */
  onSubmit(signal: AbortSignal): unknown;
}

export function FormDialog(props: FormDialogProps) {
  const {
    title,
    wide = false,
    verb,
    busy: waiting = verb,
    beside,
    more,
    onSubmit,
    onClose,
    children,
  } = props;
  const { failure, busy, attempt } = useAttempt();
  const id = useId();
  const submit = (
    <Button type="submit" form={id} className="first" disabled={busy} label={busy ? waiting : verb} />
  );
  return (
    <Dialog
      {...{ title, wide, onClose }}
      close="Cancel"
      actions={
        <>
          {submit}
          {more}
        </>
      }
    >
      <form
        id={id}
        className={beside ? "fields beside" : "fields"}
        onSubmit={(event) => {
          event.preventDefault();
          void attempt(async (signal) => onSubmit(signal));
        }}
      >
        {children}
        <Alert text={failure} />
      </form>
    </Dialog>
  );
}
