/**
 * Owns the list of what a Backend hands to each of its services: everything they share, so that no
 * service reaches for a global or for another service.
 */
import type { Config } from "./config/config.ts";
import type { Clock } from "./core/clock.ts";
import type { Log } from "./core/log.ts";
import type { Database } from "./postgres/database.ts";
import type { Keys } from "./tokens/keys.ts";

/** A mail on its way to the inbox (or to a real server when SMTP is configured). */
export interface OutgoingMail {
  from: { name: string; address: string };
  to: { name: string; address: string }[];
  subject: string;
  html?: string;
  text?: string;
  headers?: Record<string, string>;
  attachments?: MailAttachment[];
}

/** A file that comes with a mail. */
export interface MailAttachment {
  name: string;
  /** Media type. */
  type: string;
  /** Set where the HTML shows the file. */
  contentId?: string;
  /** The bytes as base64. */
  content: string;
}

/** Takes a mail; resolves when it is kept. */
export type SendMail = (mail: OutgoingMail) => Promise<void>;

/** What every service is made from. */
export interface ServiceContext {
  readonly config: Config;
  readonly keys: Keys;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** The API's address as clients see it, without trailing slash, e.g. `http://127.0.0.1:54321`. */
  readonly url: string;
  /** Folder that holds this Backend's object bytes. Exists. */
  readonly storageFolder: string;
  readonly sendMail: SendMail;
}
