/**
 * Runs inside a function's own Deno process: imitates how the hosted runtime identifies itself, and removes
 * what it lacks (docs/compat/functions.md 5).
 */

declare const Deno: {
  version: { deno: string; v8: string; typescript: string };
  errors: Record<string, unknown> & { PermissionDenied: new (message: string) => Error };
};

/** The emulated version. */
const RUNTIME = "1.73.3";
/** The gateway takes it off again (gateway/gateway.ts). */
const PARENT_ID = "sb-parent-request-id";
/** Hosted blocks these mail ports; mail is sent over an HTTP API there. */
const CLOSED_PORTS = new Set([25, 587]);

/** @param origin of the stack's API. @param request gives the id of the request that is being answered. */
export function takeIdentity(origin: string, request: () => string | undefined): void {
  const { deno, v8, typescript } = Deno.version;
  define(Deno, "version", {
    deno: `supabase-edge-runtime-${RUNTIME} (compatible with Deno v${deno})`,
    v8,
    typescript,
  });
  const agent = `Deno/${deno} (variant; SupabaseEdgeRuntime/${RUNTIME})`;
  define(navigator, "userAgent", agent);
  fetchAs(agent, origin, request);
  define(navigator, "hardwareConcurrency", 1);
  // Workers would escape every limit.
  define(globalThis, "Worker", undefined);
  for (const name of ["WorkerRequestCancelled", "WorkerAlreadyRetired", "RateLimitError"]) {
    define(Deno.errors, name, errorClass(name));
  }
  for (const name of ["connect", "connectTls"]) closePorts(name);
  define(globalThis, "SharedArrayBuffer", ArrayBuffer);
}

/** The default user agent of fetch. Calls of the stack's API tell it which request they belong to. */
function fetchAs(agent: string, origin: string, request: () => string | undefined): void {
  const original = globalThis.fetch;
  define(globalThis, "fetch", function fetch(input: string | URL | Request, init?: RequestInit) {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    const url = input instanceof Request ? input.url : String(input);
    const parent = url.startsWith(`${origin}/`) ? request() : undefined;
    if (headers.has("user-agent") && parent === undefined) return original(input, init);
    if (!headers.has("user-agent")) headers.set("user-agent", agent);
    if (parent !== undefined) headers.set(PARENT_ID, parent);
    return original(input, { ...init, headers });
  });
}

/**
 * Gives requests an `http:` URL: on a Unix socket Deno puts the socket's path in place of the host.
 * @param origin scheme and host, e.g. `http://127.0.0.1:54321`.
 */
export function setOrigin(origin: string): void {
  const scheme = "http+unix://";
  const own = Object.getOwnPropertyDescriptor(Request.prototype, "url");
  const read = own?.get;
  if (!read) return;
  Object.defineProperty(Request.prototype, "url", {
    ...own,
    get(this: Request) {
      const url = Reflect.apply(read, this, []) as string;
      if (!url.startsWith(scheme)) return url;
      return origin + url.slice(url.indexOf("/", scheme.length));
    },
  });
}

function errorClass(name: string): unknown {
  return class extends Error {
    override readonly name = name;
    readonly retryAfterMs: number | undefined;
    constructor(message?: string, retryAfterMs?: number) {
      super(message);
      this.retryAfterMs = retryAfterMs;
    }
  };
}

function closePorts(name: string): void {
  const connect = (Deno as unknown as Record<string, (options: { port?: number }) => unknown>)[name];
  if (!connect) return;
  define(Deno, name, (options: { port?: number }) => {
    if (CLOSED_PORTS.has(Number(options?.port))) {
      throw new Deno.errors.PermissionDenied(`Connections to port ${options.port} are not allowed.`);
    }
    return connect.call(Deno, options);
  });
}

function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
}
