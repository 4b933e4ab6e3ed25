/**
 * Runs inside a function's own Deno process: marks each console entry with its request and level, so that
 * Homebase can log it as one entry.
 */
import { AsyncLocalStorage } from "node:async_hooks";

declare const Deno: Record<"stdout" | "stderr", { writeSync(bytes: Uint8Array): number }>;

/** The current request. Its id is read only on demand. */
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

/** Runs `work` and associates its console output, including later output, with the request. */
export function runInRequest<T>(headers: Current["headers"], work: () => T): T {
  return current.run({ headers, id: undefined }, work);
}

/** Reads the request's id now, because the request may have ended when the work continues. */
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
 * Encloses every console entry between two lines that begin with `mark`; the first has the level and, if
 * known, the request.
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
