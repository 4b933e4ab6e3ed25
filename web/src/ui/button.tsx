/** Owns: buttons and links that look like buttons. One main action a screen is `action`, the rest is quiet. */
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components";
import { LoaderIcon } from "./icons.ts";

type Look = "action" | "quiet" | "plain";

const shape =
  "inline-flex cursor-pointer items-center justify-center gap-2 rounded-full text-base font-semibold " +
  "transition-colors duration-150 ease-out disabled:cursor-default disabled:opacity-55";
const looks: Record<Look, string> = {
  action: "bg-action text-on-action hover:bg-[color-mix(in_oklch,var(--action)_88%,var(--ink))]",
  quiet: "border border-edge bg-card text-ink hover:bg-card-warm",
  plain: "text-ink underline decoration-line decoration-2 underline-offset-4 hover:decoration-action",
};

export interface ButtonProps extends Omit<AriaButtonProps, "children" | "className"> {
  look?: Look;
  /** For a single icon: as wide as it is high. */
  round?: boolean;
  /** Shows the loader and keeps a second press from doing it twice. */
  busy?: boolean;
  className?: string;
  children: ReactNode;
}

function sizeOf(look: Look, round: boolean): string {
  if (round) return "size-11 shrink-0";
  return look === "plain" ? "min-h-9 px-2" : "min-h-11 px-5";
}

export function Button({
  look = "quiet",
  round = false,
  busy = false,
  className = "",
  children,
  ...props
}: ButtonProps) {
  return (
    <AriaButton
      {...props}
      isPending={busy}
      className={`${shape} ${sizeOf(look, round)} ${looks[look]} ${className}`}
    >
      {busy ? <LoaderIcon aria-hidden className="spinning size-5" /> : null}
      {children}
    </AriaButton>
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
