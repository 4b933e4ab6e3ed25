/** Owns the inbox's own port: a small HTTP server in front of the mail module. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { ServiceRequest } from "../http/exchange.ts";
import { createInbox, type Inbox } from "../mail/inbox.ts";
import type { SendMail } from "../service/context.ts";

export interface InboxOptions {
  /** Where mails are kept. */
  folder: string;
  /** Undefined: mails are kept but there is no page. 0 lets the system choose. */
  port: number | undefined;
  clock: Clock;
  log: Log;
}

/** An inbox that is listening. */
export interface OpenInbox {
  sendMail: SendMail;
  url: string | undefined;
  close(): Promise<void>;
}

/** Opens the inbox. */
export async function openInbox(options: InboxOptions): Promise<OpenInbox> {
  const inbox = createInbox({ clock: options.clock, folder: options.folder });
  const sendMail: SendMail = async (mail) => {
    await inbox.sendMail(mail);
    options.log.info(`Mail to ${mail.to.map((to) => to.address).join(", ")}: ${mail.subject}`);
  };
  if (options.port === undefined) return { sendMail, url: undefined, close: async () => {} };
  const server = createServer((incoming, outgoing) => {
    serve(inbox, incoming, outgoing).catch((error: unknown) => {
      options.log.error(`${incoming.method} ${incoming.url} failed`, { error: String(error) });
      if (!outgoing.headersSent) outgoing.writeHead(500);
      outgoing.end();
    });
  });
  await listen(server, options.port);
  return {
    sendMail,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // A page that follows changes holds its connection for ever.
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
}

async function serve(inbox: Inbox, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const [path = "/", query = ""] = (incoming.url ?? "/").split("?", 2);
  const controller = new AbortController();
  outgoing.once("close", () => controller.abort());
  const request: ServiceRequest = {
    id: randomUUID(),
    method: incoming.method ?? "GET",
    path,
    query,
    headers: incoming.headers,
    rawHeaders: incoming.rawHeaders,
    authorization: undefined,
    remoteAddress: incoming.socket.remoteAddress ?? "127.0.0.1",
    body: incoming,
    signal: controller.signal,
  };
  const { status, headers, body } = await inbox.handle(request);
  outgoing.writeHead(status, headers);
  if (!(body instanceof Readable)) {
    outgoing.end(body ?? undefined);
    return;
  }
  outgoing.flushHeaders();
  await pipeline(body, outgoing).catch(() => outgoing.destroy());
}
