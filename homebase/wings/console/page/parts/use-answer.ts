/** Owns a call of the page as a value: the answer of the stack to a question, which is asked again when it is another. */
import { useEffect, useState } from "react";
import type { ConsoleApi } from "../../server/api.ts";
import { call, messageOf } from "../app/session.ts";

type Name = Exclude<keyof ConsoleApi, "feed">;
type Answer<One extends Name> = Awaited<ReturnType<ConsoleApi[One]>>;

export interface Answered<One extends Name> {
  /** Until the next one has come, that of the question before. */
  answer?: Answer<One>;
  failure?: string;
  /** Whether the question has no answer yet; a repeated one keeps its answer meanwhile. */
  asking: boolean;
}

/** @param ask undefined asks nothing. @param options.version another one asks again. @param options.delay milliseconds: a question that is another by then is not asked. @param options.every milliseconds after which it is asked again while the page is seen */
export function useAnswer<One extends Name>(
  name: One,
  ask: Parameters<ConsoleApi[One]>[0] | undefined,
  { version = 0, delay = 0, every }: { version?: number; delay?: number; every?: number } = {},
): Answered<One> {
  const [found, setFound] = useState<Omit<Answered<One>, "asking"> & { to?: string }>({});
  const [repeats, setRepeats] = useState(0);
  useEffect(() => {
    if (every === undefined) return;
    const timer = setInterval(() => {
      if (!document.hidden) setRepeats((before) => before + 1);
    }, every);
    return () => clearInterval(timer);
  }, [every]);
  const text = ask && JSON.stringify(ask);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version asks again
  useEffect(() => {
    if (text === undefined) return;
    const asking = new AbortController();
    const timer = setTimeout(() => {
      call(name, JSON.parse(text) as Parameters<ConsoleApi[One]>[0], asking.signal).then(
        (answer) => setFound({ answer: answer as Answer<One>, to: text }),
        (error: unknown) => {
          if (asking.signal.aborted) return;
          setFound((before) => ({ ...before, failure: messageOf(error), to: text }));
        },
      );
    }, delay);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [name, text, version, delay, repeats]);
  return { ...found, asking: text !== undefined && found.to !== text };
}
