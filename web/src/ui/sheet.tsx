/** Owns: the way to a modal: a button that opens it. What draws it is fetched when it is first needed. */
import { cloneElement, isValidElement, lazy, type ReactNode, Suspense, useState } from "react";
import type { ButtonProps } from "./button.tsx";

const fetchModal = () => import("./sheet-modal.tsx");
const SheetModal = lazy(async () => ({ default: (await fetchModal()).SheetModal }));

/** `trigger` is the Button that opens it; `children` get a function that closes it. */
export function Sheet({
  trigger,
  title,
  children,
}: {
  trigger: ReactNode;
  title: string;
  children: (close: () => void) => ReactNode;
}) {
  const [open, setOpen] = useState(false);
  if (!isValidElement<ButtonProps>(trigger)) throw new Error("A sheet is opened by a Button.");
  return (
    <>
      {cloneElement(trigger, {
        "aria-haspopup": "dialog",
        "aria-expanded": open,
        onHoverStart: () => void fetchModal(),
        onPress: () => setOpen(true),
      })}
      {open ? (
        <Suspense>
          <SheetModal title={title} onClose={() => setOpen(false)}>
            {children}
          </SheetModal>
        </Suspense>
      ) : null}
    </>
  );
}
