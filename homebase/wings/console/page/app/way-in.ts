/** Owns the page's way in and its calls: the one-time code of the address, the token, and what other tabs of it know. */
import type { About, ConsoleApi, Cursor, Entered, FeedPart, Streams, UploadAsk } from "../../server/api.ts";

const TOKEN = "token";
/** How long other tabs have to answer. */
const SIBLINGS_MS = 200;

/** A refusal by the stack; `status` is 0 where nothing answers. */
export class CallFailed extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What tabs tell each other; a tab takes a token of its own project only. */
interface Told {
  kind: "ask" | "token";
  token?: string;
  project?: string;
}

const tabs = new BroadcastChannel("console");
let project: string | undefined;
/** The token, once it was read. */
let known: string | null = null;
let onAwake: () => void = () => {};
let onOther: () => void = () => {};

tabs.addEventListener("message", ({ data }: MessageEvent<Told>) => {
  const token = tokenOfTab();
  if (data.kind === "ask" && token !== null && project !== undefined)
    tabs.postMessage({ kind: "token", token, project } satisfies Told);
  if (data.kind !== "token" || data.token === undefined || data.token === token) return;
  if (project !== undefined && data.project !== project) return onOther();
  known = data.token;
  sessionStorage.setItem(TOKEN, known);
  onAwake();
});

function tokenOfTab(): string | null {
  known ??= sessionStorage.getItem(TOKEN);
  return known;
}

/** Called when another tab has entered: this one may go on. @param pasted when a link was opened in this tab */
export function whenAwake(awake: () => void, other: () => void, pasted: (code: string) => void): void {
  onAwake = awake;
  onOther = other;
  addEventListener("hashchange", () => {
    const code = takeCode();
    if (code !== undefined) pasted(code);
  });
}

/** Takes the code out of the address, before anything else could read it. */
export function takeCode(): string | undefined {
  const code = location.hash.slice(1);
  if (code === "") return undefined;
  history.replaceState(null, "", location.pathname + location.search);
  return code;
}

/** Enters by a code, or by what this tab or another one has already. @returns the first view, by a code. @throws CallFailed */
export async function admit(code: string | undefined, filter: string): Promise<Entered | undefined> {
  if (code !== undefined) {
    const entered = await posted<Entered>("/enter", { code, filter });
    known = entered.token;
    // After the first rows: the browser lets the page wait for its storage.
    setTimeout(() => sessionStorage.setItem(TOKEN, entered.token));
    return entered;
  }
  if (tokenOfTab() === null) {
    tabs.postMessage({ kind: "ask" } satisfies Told);
    await new Promise((resolve) => setTimeout(resolve, SIBLINGS_MS));
  }
  if (known === null) throw new CallFailed(401, "This tab has not entered.");
  return undefined;
}

/** Takes the stack's facts, and asks for them unless they came with a new token, which other tabs then hear of. @throws CallFailed */
export async function introduced(entered: Entered | undefined): Promise<About> {
  const about = entered?.about ?? (await call("about", {}));
  // The rows of a tab stay those of its first project.
  project ??= about.project;
  if (entered)
    tabs.postMessage({ kind: "token", token: entered.token, project: about.project } satisfies Told);
  return about;
}

/** @throws CallFailed */
export function call<Name extends Exclude<keyof ConsoleApi, Streams>>(
  name: Name,
  ask: Parameters<ConsoleApi[Name]>[0],
  signal?: AbortSignal,
): ReturnType<ConsoleApi[Name]> {
  return posted(`/api/${name}`, ask, signal) as ReturnType<ConsoleApi[Name]>;
}

/** The parts of the feed as they come. @throws CallFailed when the stream ends, for whatever reason */
export async function* listen(after: Cursor, filter: string, signal: AbortSignal): AsyncGenerator<FeedPart> {
  yield* streamed("feed", { after, filter }, signal);
  throw new CallFailed(0, "The stack has ended the stream.");
}

type Part<Name extends Streams> = ReturnType<ConsoleApi[Name]> extends AsyncIterable<infer One> ? One : never;

/** The parts of a call that answers a stream, until it ends or the connection breaks. @throws CallFailed */
export async function* streamed<Name extends Exclude<Streams, "file">>(
  name: Name,
  ask: Parameters<ConsoleApi[Name]>[0],
  signal?: AbortSignal,
): AsyncGenerator<Part<Name>> {
  const response = await post(`/api/${name}`, ask, signal);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
      const lines = (rest + read.value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield JSON.parse(line) as Part<Name>;
    }
  } catch {
    // The connection broke: the same as its end.
  }
}

async function posted<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await post(path, body, signal)).json() as Promise<T>;
}

/** The bytes of a file. @throws CallFailed */
export function bytesOf(ask: Parameters<ConsoleApi["file"]>[0], signal?: AbortSignal): Promise<Response> {
  return post("/api/file", ask, signal);
}

/** @throws CallFailed with what Storage says, and the browser's error of a file that it cannot read */
export async function upload(ask: UploadAsk, file: Blob, signal: AbortSignal): Promise<void> {
  const headers = {
    "content-type": "application/octet-stream",
    "x-ask": encodeURIComponent(JSON.stringify(ask)),
  };
  // A file that was moved since it was chosen says so: the request would fail like one that nothing answers.
  await file.slice(0, 1).arrayBuffer();
  await sent("/upload", { method: "PUT", headers, body: file, signal });
}

function post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return sent(path, { method: "POST", headers, body: JSON.stringify(body), ...(signal ? { signal } : {}) });
}

async function sent(
  path: string,
  init: RequestInit & { headers: Record<string, string> },
): Promise<Response> {
  const token = path === "/enter" ? null : tokenOfTab();
  const headers = { ...init.headers, ...(token === null ? {} : { authorization: `Bearer ${token}` }) };
  const response = await fetch(path, { ...init, headers }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new CallFailed(0, "Nothing answers at this address.");
  });
  if (response.ok) return response;
  const { error } = (await response.json().catch(() => ({ error: { message: response.statusText } }))) as {
    error: { message: string };
  };
  throw new CallFailed(response.status, error.message);
}

/** What a person reads of a call that failed. */
export function messageOf(error: unknown): string {
  if (error instanceof CallFailed && error.status === 0) return "The stack does not answer.";
  return error instanceof Error ? error.message : String(error);
}
