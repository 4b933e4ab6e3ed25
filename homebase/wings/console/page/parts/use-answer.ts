/** Owns a call of the page as a value: the answer of the stack to a question, which is asked again when it is another. */
import { createContext, useContext, useEffect, useRef, useState } from "react";
import type { ConsoleApi, Streams } from "../../server/api.ts";
import { call, messageOf } from "../app/way-in.ts";

type Name = Exclude<keyof ConsoleApi, Streams>;
type Answer<One extends Name> = Awaited<ReturnType<ConsoleApi[One]>>;

export interface Answered<One extends Name> {
  /** Until the next one has come, that of the question before. */
  answer?: Answer<One>;
  failure?: string;
  /** From the question to the answer. */
  milliseconds?: number;
  /** Whether the question has no answer yet; a repeated one keeps its answer meanwhile. */
  asking: boolean;
  /** Asks again, and how often it has. */
  again(): void;
  times: number;
}

/** How often the database was replaced since the page was opened: shown answers are asked for again. */
export const Replacements = createContext(0);

/** @param ask undefined asks nothing. @param options.version another one asks again. @param options.delay milliseconds: a question that is another by then is not asked. @param options.every milliseconds from an answer to the next question while the page is seen */
export function useAnswer<One extends Name>(
  name: One,
  ask: Parameters<ConsoleApi[One]>[0] | undefined,
  { version = 0, delay = 0, every }: { version?: number; delay?: number; every?: number } = {},
): Answered<One> {
  const [found, setFound] = useState<Omit<Answered<One>, "asking" | "again" | "times"> & { to?: string }>({});
  const [times, setTimes] = useState(0);
  const text = ask && JSON.stringify(ask);
  const replaced = useContext(Replacements);
  const again = () => setTimes((before) => before + 1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version or database asks again
  useEffect(() => {
    if (text === undefined) return;
    const asking = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const later = (ms: number) => {
      timer = setTimeout(() => (document.hidden ? later(ms) : void once()), ms);
    };
    const once = async () => {
      const began = performance.now();
      try {
        const answer = await call(name, JSON.parse(text) as Parameters<ConsoleApi[One]>[0], asking.signal);
        if (asking.signal.aborted) return;
        const milliseconds = Math.round(performance.now() - began);
        setFound({ answer: answer as Answer<One>, milliseconds, to: text });
      } catch (error) {
        if (asking.signal.aborted) return;
        setFound((before) => ({ ...before, failure: messageOf(error), to: text }));
      }
      // After the answer: one that takes longer than the pause is not asked for again before it has come.
      if (every !== undefined) later(every);
    };
    timer = setTimeout(() => void once(), delay);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [name, text, version, times, delay, every, replaced]);
  return { ...found, asking: text !== undefined && found.to !== text, again, times };
}

/** Work that may fail, with its failure until the next attempt; unmounting aborts it. */
export function useAttempt() {
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const attempt = async (work: (signal: AbortSignal) => Promise<unknown>) => {
    stop.current = new AbortController();
    const { signal } = stop.current;
    setFailure(undefined);
    setBusy(true);
    await work(signal).catch((error: unknown) => signal.aborted || setFailure(messageOf(error)));
    setBusy(false);
  };
  return { failure, busy, attempt };
}
