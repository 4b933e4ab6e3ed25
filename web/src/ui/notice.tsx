/** Owns: how a problem, an empty list and a wait are shown. Never only a toast: the error stays where it arose. */
import type { ReactNode } from "react";
import { toAppError } from "../lib/errors.ts";
import { useOnline } from "../lib/online.ts";
import { Button } from "./button.tsx";
import { uiWords } from "./words.ts";

/** An error in place, with what to do and, if `retry` is given, a way to try again. */
export function ErrorNotice({ error, retry }: { error: unknown; retry?: () => void }) {
  const known = toAppError(error);
  return (
    <div role="alert" className="paper flex flex-col items-start gap-2 border-l-4 border-l-action p-4">
      <p className="text-sm font-semibold text-action">{uiWords().kinds[known.kind]}</p>
      <p>
        {known.message} <span className="text-ink-soft">{known.hint}</span>
      </p>
      {retry ? (
        <Button look="plain" onPress={retry} className="-ml-2">
          {uiWords().tryAgain}
        </Button>
      ) : null}
    </div>
  );
}

/** Nothing here yet: a picture, a sentence, a way on. */
export function Empty({
  picture,
  title,
  children,
}: {
  picture?: ReactNode;
  title: string;
  children?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-3 px-4 py-8 text-center">
      {picture}
      <p className="font-display text-lg">{title}</p>
      <div className="flex max-w-sm flex-col items-center gap-3 text-ink-soft">{children}</div>
    </div>
  );
}

/** A grey shape where something will be. Give it the size of what comes. */
export function Bone({ className }: { className: string }) {
  return <div aria-hidden className={`rounded-s bg-line/70 ${className}`} />;
}

/** Announces the wait once, and holds the bones. Without a connection it says that there is nothing to wait for. */
export function Loading({ what, children }: { what: string; children: ReactNode }) {
  const online = useOnline();
  if (!online) {
    return (
      <Empty title={uiWords().notHere.title}>
        <p>{uiWords().notHere.text}</p>
      </Empty>
    );
  }
  return (
    <div aria-busy="true">
      <p role="status" className="sr-only">
        {uiWords().loading(what)}
      </p>
      {children}
    </div>
  );
}
