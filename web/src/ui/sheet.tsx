/** Owns: opening a modal from a button. The modal's code is loaded when the button is first hovered or focused. */
import {
  cloneElement,
  lazy,
  type ReactElement,
  type ReactNode,
  Suspense,
  startTransition,
  useState,
} from "react";
import type { ButtonProps } from "./button.tsx";

const fetchBody = () => import("./sheet-body.tsx");
const SheetBody = lazy(async () => ({ default: (await fetchBody()).SheetBody }));

/** The button that opens it. */
export type Trigger = ReactElement<ButtonProps>;

/** `children` get a function that closes it. The focus goes back to the button. */
export function Sheet({
  trigger,
  title,
  children,
}: {
  trigger: Trigger;
  title: string;
  children: (close: () => void) => ReactNode;
}) {
  const [open, setOpen] = useState(false);
  // Begun a moment early; if it cannot be had, opening says so.
  const reachFor = () => void fetchBody().catch(() => undefined);
  return (
    <>
      {cloneElement(trigger, {
        "aria-haspopup": "dialog",
        "aria-expanded": open,
        onFocus: reachFor,
        onPointerEnter: reachFor,
        onPress: () => {
          trigger.props.onPress?.();
          // Painted before the rest of the page is made inert, which takes a slow phone several frames.
          startTransition(() => setOpen(true));
        },
      })}
      {open ? (
        <Suspense fallback={null}>
          <SheetBody title={title} close={() => setOpen(false)}>
            {children}
          </SheetBody>
        </Suspense>
      ) : null}
    </>
  );
}
