/**
 * Owns the context that a Backend passes to each of its services: everything they share, so that no service
 * uses a global or another service.
 */
import type { Config } from "./config/config.ts";
import type { Clock } from "./core/clock.ts";
import type { Happened } from "./core/happenings.ts";
import type { Log } from "./core/log.ts";
import type { Database } from "./postgres/database.ts";
import type { Keys } from "./tokens/keys.ts";

/** A mail to the inbox (or to a real server when SMTP is configured). */
export interface OutgoingMail {
  from: { name: string; address: string };
  to: { name: string; address: string }[];
  subject: string;
  html?: string;
  text?: string;
  headers?: Record<string, string>;
  attachments?: MailAttachment[];
}

/** An attached file. */
export interface MailAttachment {
  name: string;
  /** Media type. */
  type: string;
  /** Set when the HTML displays the file. */
  contentId?: string;
  /** The bytes as base64. */
  content: string;
}

/** Delivers a mail; resolves when it is stored, with its id in the inbox, if it has one. */
export type SendMail = (mail: OutgoingMail) => Promise<string | undefined>;

/** The dependencies of every service. */
export interface ServiceContext {
  readonly config: Config;
  readonly keys: Keys;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** The API's URL as clients see it, without trailing slash, e.g. `http://127.0.0.1:54321`. */
  readonly url: string;
  /** Folder with this Backend's object bytes. Exists. */
  readonly storageFolder: string;
  readonly sendMail: SendMail;
  /** Notes what happened, for whoever asks later. */
  readonly happened: Happened;
}
