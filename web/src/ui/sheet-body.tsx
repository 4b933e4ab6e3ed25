/** Owns: the modal itself: a sheet from below on a phone, a card in the middle on a wide screen. */
import { type ReactNode, useCallback, useDeferredValue, useEffect, useRef, useState } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { flushSync } from "react-dom";
import { useBackCloses } from "./back-closes.ts";
import { Button } from "./button.tsx";
import { uiWords } from "./words.ts";

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
    // If the focused button is removed by being pressed, the focus would be lost and Escape would do nothing.
    const observer = new MutationObserver(() => {
      if (document.activeElement === document.body) sheet.focus({ preventScroll: true });
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
          {filled ? children(close) : null}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
