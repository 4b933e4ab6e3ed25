/** Owns: the modal itself: a sheet from below on a phone, a card in the middle on a wide screen. */
import { type ReactNode, useCallback, useDeferredValue, useEffect, useRef, useState } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { flushSync } from "react-dom";
import { useBackCloses } from "./back-closes.ts";
import { Button } from "./button.tsx";
import { uiWords } from "./words.ts";

const CONTROLS = "a[href], button, input, select, textarea";
/** A radio or a checkbox would be read without the text before it. */
const FIELDS = "input:not([type=radio], [type=checkbox], [type=file]), select, textarea";

export function SheetBody({
  title,
  close: unmount,
  children,
}: {
  title: string;
  close: () => void;
  children: (close: () => void) => ReactNode;
}) {
  const dialog = useRef<HTMLElement>(null);
  // The sheet is painted with its title first: a form with a calendar takes several frames on a slow phone.
  const filled = useDeferredValue(true, false);
  const [closing, setClosing] = useState(false);
  // Hidden in the next frame and removed after it, because the removal makes the browser compute every style of the page.
  // Removed synchronously: when React Aria returns the focus to the page, the page must not be inert any more.
  const close = useCallback(() => {
    setClosing(true);
    requestAnimationFrame(() => setTimeout(() => flushSync(unmount)));
  }, [unmount]);
  useBackCloses(close);
  useEffect(() => {
    const sheet = dialog.current;
    if (!sheet) return;
    let entered = false;
    /** Where a sheet begins with a field, the field takes the focus, also if its content is loaded after the sheet opens. */
    const enter = () => {
      const first = sheet.querySelector<HTMLElement>(`[data-content] :is(${CONTROLS})`);
      if (entered || !first?.matches(FIELDS) || document.activeElement !== sheet) return;
      entered = true;
      first.focus({ preventScroll: true });
    };
    enter();
    // If the focused button is removed by being pressed, the focus would be lost and Escape would do nothing.
    const observer = new MutationObserver(() => {
      if (document.activeElement === document.body) sheet.focus({ preventScroll: true });
      enter();
    });
    observer.observe(sheet, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, []);
  return (
    <ModalOverlay
      isOpen
      onOpenChange={(open) => {
        if (!open) close();
      }}
      isDismissable
      className={`fixed inset-0 z-50 flex items-end justify-center bg-[oklch(0.15_0.04_330/0.55)] sm:items-center sm:p-4 ${closing ? "opacity-0" : ""}`}
    >
      <Modal className="rise max-h-[88dvh] w-full max-w-lg overflow-y-auto rounded-t-l bg-card shadow-lift sm:rounded-l">
        <Dialog ref={dialog} className="flex flex-col gap-4 p-6 outline-none">
          <div className="flex items-start justify-between gap-4">
            <Heading slot="title" className="text-xl">
              {title}
            </Heading>
            <Button look="plain" onPress={close}>
              {uiWords().close}
            </Button>
          </div>
          <div data-content className="contents">
            {filled ? children(close) : null}
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
