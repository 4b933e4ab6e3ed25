/**
 * Runs inside a function's own Deno process: says of each thing that is written to the console which request
 * it belongs to and how grave it is, so that Homebase can write it to its log as one entry.
 */
import { AsyncLocalStorage } from "node:async_hooks";

declare const Deno: Record<"stdout" | "stderr", { writeSync(bytes: Uint8Array): number }>;

/** What is known of the request that code runs for. Its id is looked up only when it is asked for. */
interface Current {
  headers: () => { get(name: string): string | null };
  id: string | null | undefined;
}

const REQUEST_ID = "sb-request-id";
const GRAVE: Record<string, "warn" | "error" | "debug"> = {
  error: "error",
  assert: "error",
  trace: "warn",
  warn: "warn",
  debug: "debug",
};
const current = new AsyncLocalStorage<Current>();
const encoder = new TextEncoder();

/** Runs `work` so that what it writes, now or later, is known to belong to the request. */
export function runInRequest<T>(headers: Current["headers"], work: () => T): T {
  return current.run({ headers, id: undefined }, work);
}

/** Looks the request's id up while the request is there to be asked: it may be over when work goes on. */
export function captureRequest(): string | undefined {
  const store = current.getStore();
  if (!store) return undefined;
  try {
    store.id ??= store.headers().get(REQUEST_ID);
  } catch {
    store.id ??= null;
  }
  return store.id ?? undefined;
}

/**
 * Puts every entry of the console between two lines that begin with `mark`; the first says the level and, as
 * far as there is one, the request.
 */
export function frameConsole(mark: string): void {
  const end = encoder.encode(`${mark}\n`);
  const console = globalThis.console as unknown as Record<string, unknown>;
  for (const [name, write] of Object.entries(console)) {
    if (typeof write !== "function") continue;
    const level = GRAVE[name] ?? "info";
    const stream = level === "warn" || level === "error" ? Deno.stderr : Deno.stdout;
    console[name] = (...args: unknown[]) => {
      stream.writeSync(encoder.encode(`${mark}${JSON.stringify({ level, request: captureRequest() })}\n`));
      try {
        return Reflect.apply(write, console, args);
      } finally {
        stream.writeSync(end);
      }
    };
  }
}
