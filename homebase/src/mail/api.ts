/** Owns the inbox's HTTP API: Mailpit's API (docs/compat/platform.md 4), change events, and the page. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { z } from "zod";
import {
  BodyTooLarge,
  jsonResponse,
  readBody,
  type ServiceRequest,
  type ServiceResponse,
} from "../http/exchange.ts";
import { cleanHeaderValue } from "../http/header-values.ts";
import { type Route, Router } from "../http/router.ts";
import type { MailAttachment } from "../service-context.ts";
import { codeOf, linksOf } from "./extracted-text.ts";
import { attachmentOf, detail, headerMap, type Message, source, summary } from "./message.ts";
import { search } from "./search.ts";
import type { MailStore } from "./store.ts";

const BODY_LIMIT = 25 * 1024 ** 2;
const DEFAULT_LIMIT = 50;
const HEARTBEAT_MS = 25_000;
const MEDIA_TYPES: Record<string, string> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
};
/** Blocks a mail's own scripts and everything that it would load, wherever it is displayed. */
const MAIL_POLICY =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; img-src data:";
/** Pictures of other servers tell the sender that a mail was read, so they are shown only when asked for. */
const WITH_PICTURES = `${MAIL_POLICY} http: https:`;

/** Handles a request to the inbox. */
export async function handleInbox(store: MailStore, request: ServiceRequest): Promise<ServiceResponse> {
  try {
    return await route(store, request);
  } catch (error) {
    if (error instanceof BodyTooLarge) return plain(413, error.message);
    if (error instanceof InvalidBody) return plain(400, `Error: ${error.message}`);
    throw error;
  }
}

type Endpoint = (
  store: MailStore,
  request: ServiceRequest,
  values: { id: string; part: string },
) => ServiceResponse | Promise<ServiceResponse>;

const READS: Record<string, Endpoint> = {
  "/": () => pageFile("inbox.html"),
  "/inbox.css": () => pageFile("inbox.css"),
  "/inbox.js": () => pageFile("inbox.js"),
  "/livez": () => plain(200, "ok"),
  "/readyz": () => plain(200, "ok"),
  "/view/*id": (store, { query }, { id }) => view(store, id, new URLSearchParams(query).has("pictures")),
  "/api/v1/messages": (store, request) => list(store, store.messages, request),
  "/api/v1/search": (store, request) =>
    searched(request, (found) => list(store, search(store.messages, found), request, true)),
  "/api/v1/info": info,
  "/api/v1/message/:id": (store, _request, { id }) => message(store, id),
  "/api/v1/message/:id/headers": (store, _request, { id }) =>
    withMessage(store, id, (found) => jsonResponse(200, headerMap(found))),
  "/api/v1/message/:id/raw": raw,
  "/api/v1/message/:id/actions": (store, _request, { id }) =>
    withMessage(store, id, (found) =>
      jsonResponse(200, { code: codeOf(found) ?? null, links: linksOf(found) }),
    ),
  "/api/v1/message/:id/part/:part": (store, _request, { id, part }) =>
    withMessage(store, id, (found) => {
      const file = attachmentOf(found, part);
      return file ? attached(file) : plain(404, "Part not found");
    }),
  "/api/events": events,
};

const router = new Router<Endpoint, "id" | "part">([
  ...Object.entries(READS).map(([path, endpoint]): Route<Endpoint> => ["GET", path, endpoint]),
  ["DELETE", "/api/v1/messages", removeMessages],
  ["PUT", "/api/v1/messages", markMessages],
  [
    "DELETE",
    "/api/v1/search",
    (store, request) =>
      searched(request, async (query) => {
        await store.remove(search(store.messages, query));
        return plain(200, "ok");
      }),
  ],
  ["POST", "/api/v1/send", send],
]);

async function route(store: MailStore, request: ServiceRequest): Promise<ServiceResponse> {
  const found = router.match(request.method, request.path);
  return found ? found.handler(store, request, found.values) : plain(404, "404 page not found");
}

/** Handles search queries. */
function searched(
  request: ServiceRequest,
  answer: (query: string) => ServiceResponse | Promise<ServiceResponse>,
): ServiceResponse | Promise<ServiceResponse> {
  const query = new URLSearchParams(request.query).get("query");
  return query?.trim() ? answer(query) : plain(400, "Error: no search query");
}

function withMessage(
  store: MailStore,
  id: string,
  answer: (found: Message) => ServiceResponse,
): ServiceResponse {
  const found = store.find(id);
  return found ? answer(found) : plain(404, "Message not found");
}

function list(
  store: MailStore,
  found: readonly Message[],
  request: ServiceRequest,
  isSearch = false,
): ServiceResponse {
  const query = new URLSearchParams(request.query);
  const start = wholeNumber(query.get("start")) ?? 0;
  const limit = wholeNumber(query.get("limit")) || DEFAULT_LIMIT;
  const page = found.slice(start, start + limit);
  const unread = (messages: readonly Message[]) => messages.filter(({ read }) => !read).length;
  return jsonResponse(200, {
    total: store.messages.length,
    unread: unread(store.messages),
    count: page.length,
    messages_count: isSearch ? found.length : store.messages.length,
    messages_unread: unread(found),
    start,
    tags: [],
    messages: page.map(summary),
  });
}

async function message(store: MailStore, id: string): Promise<ServiceResponse> {
  const found = store.find(id);
  if (!found) return plain(404, "Message not found");
  await store.markRead([found], true);
  return jsonResponse(200, detail(found));
}

function raw(store: MailStore, request: ServiceRequest, { id }: { id: string }): ServiceResponse {
  return withMessage(store, id, (found) => {
    const response = plain(200, source(found));
    if (new URLSearchParams(request.query).get("dl") === "1") {
      response.headers["content-disposition"] = `attachment; filename="${found.id}.eml"`;
    }
    return response;
  });
}

/** A file as it was sent, never displayed as a page of the inbox's origin. */
function attached({ name, type, content }: MailAttachment): ServiceResponse {
  const fileName = name.replace(/[^\w.-]/g, "_");
  return {
    status: 200,
    headers: {
      "content-type": cleanHeaderValue(type),
      "content-disposition": `attachment; filename="${fileName}"`,
      "content-security-policy": MAIL_POLICY,
      "x-content-type-options": "nosniff",
    },
    body: Buffer.from(content, "base64"),
  };
}

function view(store: MailStore, name: string, pictures: boolean): ServiceResponse {
  const [, id = "", kind] = /^(.*?)(?:\.(html|txt))?$/.exec(name) ?? [];
  const found = store.find(id);
  if (!found) return plain(404, "Message not found");
  if (kind === "txt") return plain(200, found.text);
  if (kind === "html") return mailPage(found, pictures);
  return { status: 302, headers: { location: `/#${found.id}` }, body: "" };
}

/** A mail's HTML for a frame, which can run nothing. @param pictures whether those of other servers are loaded */
export function mailPage({ html, text }: Message, pictures: boolean): ServiceResponse {
  return {
    status: 200,
    headers: {
      "content-type": MEDIA_TYPES.html ?? "",
      "content-security-policy": pictures ? WITH_PICTURES : MAIL_POLICY,
    },
    // Links open outside the frame, because most sites forbid framing.
    body: `<base target="_blank">${html || `<pre>${escapeTags(text)}</pre>`}`,
  };
}

/** Mailpit treats null as absent. */
const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).nullish();
const text = z.string().nullish();
const person = z.object({ Name: text, Email: z.string() });

const selectionSchema = z.object({ IDs: listOf(z.string()), Read: z.boolean().nullish(), Search: text });
const mailSchema = z.object({
  From: person,
  To: z.array(person),
  Subject: text,
  HTML: text,
  Text: text,
  Headers: z.record(z.string(), z.string()).nullish(),
  Attachments: listOf(
    z.object({ Content: z.base64(), Filename: z.string(), ContentType: text, ContentID: text }),
  ),
});

/** An invalid body. */
class InvalidBody extends Error {}

/** Parses a JSON body. @param empty the value of an empty body. @throws InvalidBody */
async function readJson<Schema extends z.ZodType>(
  request: ServiceRequest,
  schema: Schema,
  empty?: z.input<Schema>,
): Promise<z.output<Schema>> {
  const body = (await readBody(request, BODY_LIMIT)).toString("utf8");
  let value: unknown = empty;
  if (body !== "" || empty === undefined) {
    try {
      value = JSON.parse(body);
    } catch {
      throw new InvalidBody("the body is not valid JSON");
    }
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new InvalidBody(`${issue?.path.join(".") || "body"}: ${issue?.message ?? "wrong type"}`);
}

function named(store: MailStore, ids: readonly string[]): Message[] {
  const wanted = new Set(ids);
  return store.messages.filter(({ id }) => wanted.has(id));
}

/** Without a list of IDs all messages are deleted, as in Mailpit. */
async function removeMessages(store: MailStore, request: ServiceRequest): Promise<ServiceResponse> {
  const { IDs } = await readJson(request, selectionSchema, {});
  await store.remove(IDs?.length ? named(store, IDs) : [...store.messages]);
  return plain(200, "ok");
}

async function markMessages(store: MailStore, request: ServiceRequest): Promise<ServiceResponse> {
  const { IDs, Read, Search } = await readJson(request, selectionSchema, {});
  const messages = Search
    ? search(store.messages, Search)
    : IDs?.length
      ? named(store, IDs)
      : [...store.messages];
  await store.markRead(messages, Read === true);
  return plain(200, "ok");
}

async function send(store: MailStore, request: ServiceRequest): Promise<ServiceResponse> {
  let mail: z.output<typeof mailSchema>;
  try {
    mail = await readJson(request, mailSchema);
  } catch (error) {
    if (!(error instanceof InvalidBody)) throw error;
    return jsonResponse(400, {
      Error: `From and To are required, and all of the right type: ${error.message}`,
    });
  }
  await store.add({
    from: { name: mail.From.Name ?? "", address: mail.From.Email },
    to: mail.To.map((to) => ({ name: to.Name ?? "", address: to.Email })),
    subject: mail.Subject ?? "",
    html: mail.HTML ?? undefined,
    text: mail.Text ?? undefined,
    headers: mail.Headers ?? undefined,
    attachments: (mail.Attachments ?? []).map((file) => ({
      name: file.Filename,
      type: file.ContentType || "application/octet-stream",
      ...(file.ContentID ? { contentId: file.ContentID } : {}),
      content: file.Content,
    })),
  });
  return jsonResponse(200, { ID: store.messages[0]?.id });
}

function info(store: MailStore): ServiceResponse {
  return jsonResponse(200, {
    Version: "homebase",
    LatestVersion: "homebase",
    Database: "",
    DatabaseSize: store.messages.reduce((sum, { size }) => sum + size, 0),
    Messages: store.messages.length,
    Unread: store.messages.filter(({ read }) => !read).length,
    Tags: {},
  });
}

/** Server-sent events: one for each change, and a heartbeat that keeps the connection open. */
function events(store: MailStore, request: ServiceRequest): ServiceResponse {
  const body = new Readable({ read() {} });
  body.push("retry: 1000\n\n");
  const stop = store.listen(() => body.push("event: change\ndata: {}\n\n"));
  const heartbeat = setInterval(() => body.push(": alive\n\n"), HEARTBEAT_MS);
  heartbeat.unref();
  const end = () => {
    stop();
    clearInterval(heartbeat);
    body.push(null);
  };
  request.signal.addEventListener("abort", end, { once: true });
  return {
    status: 200,
    headers: { "content-type": "text/event-stream", "cache-control": "no-cache" },
    body,
  };
}

async function pageFile(name: string): Promise<ServiceResponse> {
  const body = await readFile(join(import.meta.dirname, "page", name));
  const type = MEDIA_TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream";
  return { status: 200, headers: { "content-type": type, "cache-control": "no-cache" }, body };
}

function plain(status: number, body: string): ServiceResponse {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}

/** A number of at most nine digits; other text is ignored, as by Mailpit. */
function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function escapeTags(raw: string): string {
  return raw.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
