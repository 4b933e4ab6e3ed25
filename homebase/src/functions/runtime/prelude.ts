/**
 * Runs inside a function's own Deno process, before the function's code: makes the process look like the
 * hosted edge runtime (docs/compat/functions.md 5 to 7) and serves it on the Unix socket that Homebase
 * connects to. Only Deno loads this file.
 */
import { Server } from "node:http";
import { restrictFiles } from "./file-limits.ts";
import { hashedWords } from "./hashed-words.ts";
import { setOrigin, takeIdentity } from "./identity.ts";
import { captureRequest, frameConsole, runInRequest } from "./logs.ts";
import { type S3Files, s3Files } from "./s3-files.ts";

// The part of Deno's API used here, because the project uses Node's types.
interface Listener {
  addr: unknown;
}
interface DenoServer {
  finished: Promise<void>;
  shutdown(): Promise<void>;
  ref(): void;
  unref(): void;
  addr: unknown;
}
type Handler = (request: Request, info: unknown) => Response | Promise<Response>;
interface ServeOptions {
  path?: string;
  handler?: Handler;
  onError?: (error: unknown) => Response | Promise<Response>;
  onListen?: (address: unknown) => void;
  signal?: AbortSignal;
}
declare const Deno: {
  env: {
    get(name: string): string | undefined;
    set(name: string, value: string): void;
    delete(name: string): void;
    toObject(): Record<string, string>;
  };
  serve(options: ServeOptions, handler: Handler): DenoServer;
  listen(options: unknown): Listener;
  exit(code?: number): never;
  stdin: {
    read(buffer: Uint8Array): Promise<number | null>;
    readSync(buffer: Uint8Array): number | null;
  };
  stdout: { writeSync(bytes: Uint8Array): number };
  unrefTimer(id: number): void;
  addSignalListener(signal: string, listener: () => void): void;
  removeSignalListener(signal: string, listener: () => void): void;
};

const socket = take("HOMEBASE_SOCKET");
const ready = take("HOMEBASE_READY_MARK");
const logMark = take("HOMEBASE_LOG_MARK");
const temporary = take("HOMEBASE_TMP");
const modelStandIn = take("HOMEBASE_MODEL_STAND_IN") !== "";
const own = JSON.parse(take("HOMEBASE_READABLE") || "[]") as string[];
/** How long work that is still pending after a module's evaluation may take to register a handler. */
const HANDLER_PATIENCE_MS = 10_000;

const serve = Deno.serve.bind(Deno);
const listen = Deno.listen.bind(Deno);
const exit = Deno.exit.bind(Deno);
const onSignal = Deno.addSignalListener.bind(Deno);
const background = new Set<Promise<unknown>>();
/** The global scope is an event target in Deno, unlike in Node's types. */
const events = globalThis as unknown as EventTarget;
let serving = false;
let initialised = false;

replaceEnvironment();
frameConsole(logMark);
interceptServers();
installGlobals();
restrictFiles(temporary, own, mountedBuckets(), () => initialised);
const origin = new URL(Deno.env.get("SUPABASE_URL") ?? "http://localhost");
takeIdentity(origin.origin, captureRequest);
setOrigin(`http://${origin.host}`);
onSignal("SIGTERM", () => void finish());

/** Called by the generated module with the user's module after its evaluation. */
export function start(module: Record<string, unknown>): void {
  initialised = true;
  const entry = Object.hasOwn(module, "default") ? module.default : undefined;
  if (typeof entry === "object" && entry !== null && Object.hasOwn(entry, "fetch")) {
    const { fetch } = entry as { fetch: unknown };
    if (typeof fetch !== "function") {
      throw new TypeError("Invalid type for fetch: must be a function with a single or no parameter");
    }
    if (!serving) serveUser((request) => (fetch as Handler).call(entry, request, {}));
  }
  if (serving) return void endWithParent();
  // Deno's own event comes when nothing is pending that could register one; finish() below sends events with a reason.
  events.addEventListener("beforeunload", (event) => {
    if (!(event instanceof CustomEvent)) withoutHandler();
  });
  Deno.unrefTimer(setTimeout(withoutHandler, HANDLER_PATIENCE_MS) as unknown as number);
}

function withoutHandler(): void {
  if (serving) return;
  console.error("The function registered no handler: call Deno.serve(handler), or export default { fetch }.");
  exit(70);
}

/** Called by whatever way a function begins to serve. */
function registered(): void {
  if (!serving && initialised) void endWithParent();
  serving = true;
}

/** Reads one of Homebase's own variables and hides it from the user's code. */
function take(name: string): string {
  const value = Deno.env.get(name) ?? "";
  Deno.env.delete(name);
  return value;
}

/** Deno needed HOME and the like to start. The function sees its own variables only: the first line of standard input. */
function replaceEnvironment(): void {
  for (const name of Object.keys(Deno.env.toObject())) Deno.env.delete(name);
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  while (!text.endsWith("\n")) {
    const length = Deno.stdin.readSync(buffer);
    // The stack has ended.
    if (length === null) exit(0);
    else text += decoder.decode(buffer.subarray(0, length), { stream: true });
  }
  for (const [name, value] of Object.entries(JSON.parse(text) as Record<string, string>)) {
    Deno.env.set(name, value);
  }
}

/**
 * Standard input closes when Homebase exits. Reading starts when the function's own module is loaded and serves: Deno
 * loads it when nothing of this one is pending, and says that nothing is pending while no handler is registered.
 */
async function endWithParent(): Promise<void> {
  const buffer = new Uint8Array(16);
  while ((await Deno.stdin.read(buffer)) !== null);
  exit(0);
}

function serveUser(handler: Handler, onError?: ServeOptions["onError"]): DenoServer {
  registered();
  const demand = (response: unknown): Response => {
    if (response instanceof Response) return response;
    console.error("The handler returned no Response.");
    return new Response("Bad Gateway", { status: 502 });
  };
  const answer = (request: Request, info: unknown): Response | Promise<Response> => {
    try {
      const response: unknown = handler(request, info);
      // Most handlers are asynchronous; a synchronous result needs no further turn of the queue.
      if (response instanceof Response) return response;
      return Promise.resolve(response)
        .then(demand)
        .catch(onError ?? failed);
    } catch (error) {
      return (onError ?? failed)(error);
    }
  };
  return serve({ path: socket, onListen: announce, onError: failed }, (request, info) =>
    runInRequest(
      () => request.headers,
      () => answer(request, info),
    ),
  );
}

function failed(error: unknown): Response {
  console.error(error);
  return new Response("Internal Server Error", {
    status: 500,
    headers: { "content-type": "text/plain", "sb-error-code": "EDGE_FUNCTION_ERROR" },
  });
}

function announce(): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${ready}\n`));
}

/** However a function serves, it serves on this socket, and no port is opened. */
function interceptServers(): void {
  const intercepted = (first: Handler | ServeOptions, second?: Handler): DenoServer => {
    const options = typeof first === "function" ? {} : first;
    const handler = typeof first === "function" ? first : (second ?? options.handler);
    if (typeof handler !== "function") throw new TypeError("A handler function must be provided.");
    const server = serveUser(handler, options.onError);
    options.onListen?.({ hostname: "0.0.0.0", port: 8000, transport: "tcp" });
    return server;
  };
  const intercept = (name: string, value: unknown) =>
    Object.defineProperty(Deno, name, { value, configurable: true, writable: true });
  intercept("serve", intercepted);
  intercept("listen", (options: { transport?: string }) => {
    if (options.transport && options.transport !== "tcp") return listen(options);
    registered();
    const listener = listen({ transport: "unix", path: socket });
    announce();
    return listener;
  });
  const listenNode = Server.prototype.listen;
  Server.prototype.listen = function (this: Server, ...args: unknown[]) {
    registered();
    const onListening = args.find((arg) => typeof arg === "function") as (() => void) | undefined;
    if (onListening) this.once("listening", onListening);
    this.once("listening", announce);
    const emit = this.emit;
    this.emit = (event: string, ...details: unknown[]) => {
      const call = () => Reflect.apply(emit, this, [event, ...details]) as boolean;
      if (event !== "request") return call();
      const { headers } = details[0] as { headers: Record<string, string | undefined> };
      return runInRequest(() => ({ get: (name) => headers[name] ?? null }), call);
    };
    return Reflect.apply(listenNode, this, [{ path: socket }]) as Server;
  };
  const nothing = () => {};
  for (const name of ["exit", "kill", "addSignalListener", "removeSignalListener"]) intercept(name, nothing);
}

function waitUntil<T>(work: T): T {
  if (work instanceof Promise) {
    captureRequest();
    background.add(work);
    work.catch((error: unknown) => console.error(error)).finally(() => background.delete(work));
  }
  return work;
}

/** The buckets at /s3, from the function's secrets (Supabase's guide "File Storage"). */
function mountedBuckets(): S3Files {
  const secret = (name: string) => Deno.env.get(`S3FS_${name}`) ?? "";
  const [endpoint, accessKeyId, secretAccessKey] = ["ENDPOINT_URL", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY"].map(
    secret,
  );
  if (!endpoint || !accessKeyId || !secretAccessKey) return s3Files(undefined, waitUntil);
  const region = secret("REGION") || "us-east-1";
  return s3Files({ endpoint, region, accessKeyId, secretAccessKey }, waitUntil);
}

function installGlobals(): void {
  // A function that makes a session starts, and serves what needs no model.
  class Session {
    readonly #model: string;

    constructor(model: string) {
      this.#model = String(model);
    }

    async run(text: unknown, options?: { normalize?: boolean }): Promise<number[]> {
      if (this.#model !== "gte-small")
        throw new Error(`Supabase.ai cannot run ${this.#model} here: Homebase has no models.`);
      if (!modelStandIn)
        throw new Error(
          "Supabase.ai cannot run gte-small here: Homebase has no models. On hosted it runs; homebase start --model-stand-in gives numbers made of hashed words.",
        );
      console.warn("Supabase.ai: these 384 numbers are hashed words, not gte-small's (--model-stand-in).");
      return hashedWords(String(text), options?.normalize !== false);
    }
  }
  Object.defineProperty(globalThis, "EdgeRuntime", {
    value: {
      waitUntil,
    },
  });
  Object.defineProperty(globalThis, "Supabase", {
    value: {
      ai: { Session },
    },
  });
}

/** SIGTERM: no new requests arrive, background work may finish, then the process exits. */
async function finish(): Promise<void> {
  events.dispatchEvent(new CustomEvent("beforeunload", { detail: { reason: "termination" } }));
  while (background.size > 0) await Promise.allSettled([...background]);
  events.dispatchEvent(new Event("unload"));
  exit(0);
}
