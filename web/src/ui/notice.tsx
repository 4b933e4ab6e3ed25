/** Owns: how an error, an empty list and loading are shown. An error stays in its place and is never only a toast. */
import type { ReactNode } from "react";
import { useOnline } from "../lib/device/online.ts";
import { toAppError } from "../lib/errors.ts";
import { Button } from "./button.tsx";
import { uiWords } from "./words.ts";

/**
 * An error in place, with what to do and, if `retry` is given, a way to try again.
 * @param page it is all that the screen shows: what it is called is the screen's heading then
 */
export function ErrorNotice({
  error,
  retry,
  page = false,
}: {
  error: unknown;
  retry?: () => void;
  page?: boolean;
}) {
  const known = toAppError(error);
  const Kind = page ? "h1" : "p";
  return (
    <div role="alert" className="paper flex flex-col items-start gap-2 border-l-4 border-l-action p-4">
      <Kind className="font-sans text-sm font-semibold tracking-normal text-action">
        {uiWords().kinds[known.kind]}
      </Kind>
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

/**
 * Nothing here yet: a picture, a sentence, a way on.
 * @param page it is all that the screen shows: the title is the screen's heading then
 */
export function Empty({
  picture,
  title,
  page = false,
  children,
}: {
  picture?: ReactNode;
  title: string;
  page?: boolean;
  children?: ReactNode;
}) {
  const Title = page ? "h1" : "p";
  return (
    <div className="flex flex-col items-center gap-3 px-4 py-8 text-center">
      {picture}
      <Title className="font-display text-lg font-normal tracking-normal">{title}</Title>
      <div className="flex max-w-sm flex-col items-center gap-3 text-ink-soft">{children}</div>
    </div>
  );
}

/** A grey shape in place of content that loads. Give it the size of the content. */
export function Skeleton({ className }: { className: string }) {
  const corners = className.includes("rounded-") ? "" : "rounded-s";
  return <div aria-hidden className={`${corners} bg-line/70 ${className}`} />;
}

/** In place of a card with a picture. @param picture its size */
export function CardSkeleton({ picture }: { picture: string }) {
  return (
    <div className="paper flex items-center gap-4 p-4">
      <Skeleton className={`${picture} rounded-full`} />
      <div className="flex flex-1 flex-col gap-2">
        <Skeleton className="h-6 w-3/4" />
        <Skeleton className="h-4 w-1/2" />
        <Skeleton className="h-4 w-2/5" />
      </div>
    </div>
  );
}

export interface LoadingProps {
  what: string;
  /** It is all that the screen shows, and is its heading. */
  page?: boolean;
  /** The classes of each skeleton, and of what holds them; or else the skeletons as children. */
  shapes?: readonly string[];
  className?: string;
}

/**
 * Announces once that something loads, and shows skeletons. Without a connection it says that the content is not
 * on this device.
 */
export function Loading({
  what,
  page = false,
  shapes = [],
  className,
  children,
}: LoadingProps & { children?: ReactNode }) {
  const online = useOnline();
  const What = page ? "h1" : "p";
  if (!online) {
    return (
      <Empty page={page} title={uiWords().notHere.title}>
        <p>{uiWords().notHere.text}</p>
      </Empty>
    );
  }
  return (
    <div aria-busy="true">
      <div role="status" className="sr-only">
        <What>{uiWords().loading(what)}</What>
      </div>
      {children ?? (
        <div className={className}>
          {shapes.map((shape, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes.
            <Skeleton key={index} className={shape} />
          ))}
        </div>
      )}
    </div>
  );
}
