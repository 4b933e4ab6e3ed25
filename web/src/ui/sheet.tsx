/** Owns: the modal: a sheet from below on a phone, a card in the middle on a wide screen. */
import type { ComponentProps, ReactElement, ReactNode } from "react";
import { Dialog, DialogTrigger, Heading, Modal, ModalOverlay, Pressable } from "react-aria-components";
import { Button } from "./button.tsx";
import { uiWords } from "./words.ts";

/** A button, which the dialog's trigger gives its handlers and says "opens a dialog" of. */
export type Trigger = ReactElement<ComponentProps<"button">>;

/** `trigger` is the button that opens it; `children` get a function that closes it. */
export function Sheet({
  trigger,
  title,
  children,
}: {
  trigger: Trigger;
  title: string;
  children: (close: () => void) => ReactNode;
}) {
  return (
    <DialogTrigger>
      {/* Ours is a component around a button, which the type of a pressable does not foresee. */}
      <Pressable>{trigger as ComponentProps<typeof Pressable>["children"]}</Pressable>
      <ModalOverlay
        isDismissable
        className="fixed inset-0 z-50 flex items-end justify-center bg-[oklch(0.15_0.04_330/0.55)] sm:items-center sm:p-4"
      >
        <Modal className="rise max-h-[88dvh] w-full max-w-lg overflow-y-auto rounded-t-l bg-card shadow-lift sm:rounded-l">
          <Dialog className="flex flex-col gap-4 p-6 outline-none">
            {({ close }) => (
              <>
                <div className="flex items-start justify-between gap-4">
                  <Heading slot="title" className="text-xl">
                    {title}
                  </Heading>
                  <Button look="plain" onPress={close}>
                    {uiWords().close}
                  </Button>
                </div>
                {children(close)}
              </>
            )}
          </Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  );
}
