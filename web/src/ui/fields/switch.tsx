/** Owns: a setting that is on or off, with its words beside it. */
import type { ReactNode } from "react";
import { Switch as AriaSwitch, type SwitchProps as AriaSwitchProps } from "react-aria-components";

export function Switch({
  children,
  ...props
}: Omit<AriaSwitchProps, "children" | "className"> & { children: ReactNode }) {
  return (
    <AriaSwitch {...props} className="group flex min-h-11 cursor-pointer items-center justify-between gap-4">
      <span>{children}</span>
      <span
        aria-hidden
        className="flex h-7 w-12 shrink-0 items-center rounded-full border border-edge bg-ground p-0.5 transition-colors duration-150 group-data-[selected]:border-transparent group-data-[selected]:bg-yes group-data-[focus-visible]:outline-2 group-data-[focus-visible]:outline-offset-2 group-data-[focus-visible]:outline-ink"
      >
        <span className="size-5.5 rounded-full bg-ink-soft transition-transform duration-150 ease-out group-data-[selected]:translate-x-5 group-data-[selected]:bg-card" />
      </span>
    </AriaSwitch>
  );
}
