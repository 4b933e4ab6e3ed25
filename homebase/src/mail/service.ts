/** Owns the mail service: an inbox that receives mails, serves Mailpit's API and shows them on a page. */
import type { ServiceRequest, ServiceResponse } from "../http/exchange.ts";
import type { SendMail } from "../service-context.ts";
import { handleInbox } from "./api.ts";
import type { Message } from "./message.ts";
import { type InboxOptions, MailStore } from "./store.ts";

const WAIT_MS = 5_000;

export interface Inbox {
  readonly sendMail: SendMail;
  /** Handles requests to Mailpit's API and the inbox page. */
  handle(request: ServiceRequest): Promise<ServiceResponse>;
  /** Newest first. */
  messages(): readonly Message[];
  /**
   * The newest mail to an address, immediately or when it arrives. @throws Error when none arrives within
   * `timeout` milliseconds.
   */
  waitFor(wanted: { to: string; timeout?: number }): Promise<Message>;
}

/** Creates an inbox. */
export function createInbox(options: InboxOptions): Inbox {
  const store = new MailStore(options);
  return {
    sendMail: (mail) => store.add(mail),
    handle: (request) => handleInbox(store, request),
    messages: () => store.messages,
    waitFor: ({ to, timeout = WAIT_MS }) => store.waitFor(to, timeout),
  };
}
