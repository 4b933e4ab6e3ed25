/** Owns the inbox's own port: the HTTP server in front of the mail module, for pages on this machine. */
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { jsonResponse, type ServiceResponse } from "../http/exchange.ts";
import { isSameOrigin, OwnOrigins } from "../http/origins.ts";
import type { HttpRequest } from "../http/request.ts";
import { HttpServer } from "../http/server.ts";
import type { HttpLimits } from "../http/server-limits.ts";
import { handleInbox } from "../mail/api.ts";
import type { Message } from "../mail/message.ts";
import { MailStore } from "../mail/store.ts";
import type { SendMail } from "../service-context.ts";

export interface InboxOptions {
  /** Folder of the mails. */
  folder: string;
  /** Undefined: mails are stored but there is no page. 0 lets the system choose. */
  port: number | undefined;
  clock: Clock;
  log: Log;
  limits?: Partial<HttpLimits> | undefined;
}

/** A running inbox. */
export interface OpenInbox {
  sendMail: SendMail;
  /** Newest first. */
  messages(): readonly Message[];
  url: string | undefined;
  /** Lets `work` change the folder of the mails, and reads them again. */
  reread(work: () => Promise<void>): Promise<void>;
  /** Ends every connection and listens again on the same port. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the inbox. */
export async function openInbox(options: InboxOptions): Promise<OpenInbox> {
  const store = new MailStore({ clock: options.clock, folder: options.folder });
  const sendMail: SendMail = async (mail) => {
    const { id } = await store.add(mail);
    options.log.info(`Mail to ${mail.to.map((to) => to.address).join(", ")}: ${mail.subject}`);
    return id;
  };
  const messages = () => store.messages;
  const reread: OpenInbox["reread"] = (work) => store.reread(work);
  if (options.port === undefined)
    return { sendMail, messages, reread, url: undefined, restart: async () => {}, close: async () => {} };
  const origins = new OwnOrigins({ pages: [], urls: [], boundTo: HOST });
  const server = new HttpServer({
    log: options.log,
    // A page that follows changes keeps its connection open.
    limits: { ...options.limits, closeMs: 0 },
    handle: (request) => refusal(origins, request) ?? handleInbox(store, request),
    headers: () => PAGE_HEADERS,
  });
  const port = await server.listen({ port: options.port, host: HOST });
  return {
    sendMail,
    messages,
    reread,
    url: `http://${HOST}:${port}`,
    restart: () => server.restart(),
    close: () => server.close(),
  };
}

const HOST = "127.0.0.1";
/** Other pages may not frame the inbox, load its content or keep a hand on its window; it loads nothing of others. */
const PAGE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; frame-src 'self'; " +
    "frame-ancestors 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "SAMEORIGIN",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
};
const READING = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Mail can be read only under this machine's own names, and changed only by the inbox's page or a program.
 */
function refusal(origins: OwnOrigins, { method, headers }: HttpRequest): ServiceResponse | undefined {
  if (!origins.ownsHost(headers.host)) {
    return jsonResponse(403, {
      Error: `The inbox cannot be reached as ${headers.host ?? "(none)"}. Use 127.0.0.1 or localhost.`,
    });
  }
  if (READING.has(method)) return undefined;
  if (!isSameOrigin(headers)) {
    return jsonResponse(403, { Error: "Only the inbox's own page and programs may change mail." });
  }
  const bodied = Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined;
  if (bodied && !/^application\/json\s*(?:;|$)/i.test(headers["content-type"] ?? "")) {
    return jsonResponse(415, { Error: "Send the body as application/json." });
  }
  return undefined;
}
