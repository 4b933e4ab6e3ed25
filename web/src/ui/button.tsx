/** Owns: buttons and links that look like buttons. One main action a screen is `action`, the rest is quiet. */
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ComponentProps, ReactNode } from "react";
import { LoaderIcon } from "./icons.ts";

type Look = "action" | "quiet" | "plain";

const shape =
  "inline-flex cursor-pointer items-center justify-center gap-2 rounded-full text-base font-semibold " +
  "transition-colors duration-150 ease-out disabled:cursor-default disabled:opacity-55";
const looks: Record<Look, string> = {
  action: "bg-action text-on-action hover:bg-[color-mix(in_oklch,var(--action)_88%,var(--ink))]",
  quiet: "border border-edge bg-card text-ink hover:bg-card-warm",
  // Alone on its line, its text begins where the text above does.
  plain:
    "frameless text-left leading-snug first:-ml-2 [.flex-wrap>&]:-ml-2 [.flex-col:not(.items-center)>&]:-ml-2 text-ink underline decoration-line decoration-2 underline-offset-4 hover:decoration-action",
};

/** A link out of the app, in a row of such links. */
export const linkLook =
  "inline-flex min-h-11 items-center gap-1.5 font-semibold underline decoration-line decoration-2 underline-offset-4 hover:decoration-action";

type Native = ComponentProps<"button">;

export interface ButtonProps extends Omit<Native, "children" | "className" | "onClick" | "disabled"> {
  look?: Look;
  /** For a single icon: as wide as it is high. */
  round?: boolean;
  /** Shows the loader and keeps a second press from doing it twice. */
  busy?: boolean;
  isDisabled?: boolean;
  /** By pointer, touch, Enter or Space. */
  onPress?: (() => void) | undefined;
  /** What a trigger around it listens to (sheet.tsx). */
  onClick?: Native["onClick"];
  className?: string;
  children: ReactNode;
}

function sizeOf(look: Look, round: boolean): string {
  if (round) return "size-11 shrink-0";
  return look === "plain" ? "min-h-9 px-2" : "min-h-11 px-5 py-1.5 leading-snug";
}

/**
 * The browser's own button: it presses by every means there is, and the first view needs no library for it.
 * A busy one stays in the order of focus and says so, but does nothing.
 */
export function Button({
  look = "quiet",
  round = false,
  busy = false,
  isDisabled = false,
  className = "",
  type = "button",
  onPress,
  onClick,
  children,
  ...props
}: ButtonProps) {
  return (
    <button
      {...props}
      type={type}
      disabled={isDisabled}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => {
        if (busy) return void event.preventDefault();
        onClick?.(event);
        onPress?.();
      }}
      className={`${shape} ${sizeOf(look, round)} ${looks[look]} ${className}`}
    >
      {busy ? <LoaderIcon aria-hidden className="spinning size-5" /> : null}
      {children}
    </button>
  );
}

/** A navigation that looks like a button. */
export function ButtonLink({
  look = "quiet",
  className = "",
  children,
  ...props
}: LinkProps & { look?: Look; className?: string; children: ReactNode }) {
  return (
    <Link {...props} className={`${shape} ${sizeOf(look, false)} ${looks[look]} ${className}`}>
      {children}
    </Link>
  );
}
