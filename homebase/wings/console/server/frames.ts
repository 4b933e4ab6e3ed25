/** Owns the frames in which the page shows a mail's HTML: each by a ticket that is used once. */
import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { jsonResponse, type ServiceResponse } from "../../../src/http/exchange.ts";
import { mailPage } from "../../../src/mail/api.ts";
import type { Message } from "../../../src/mail/message.ts";

const TICKET_BYTES = 16;
const TICKET_MS = 60_000;
/** Of tickets that no frame has used. */
const MOST_WAITING = 50;

export class Frames {
  readonly #waiting = new Map<string, { mail: Message; pictures: boolean; end: number }>();

  /** @param pictures whether those of other servers are loaded */
  ticket(mail: Message, pictures: boolean): string {
    const ticket = randomBytes(TICKET_BYTES).toString("base64url");
    this.#waiting.set(ticket, { mail, pictures, end: performance.now() + TICKET_MS });
    const [oldest] = this.#waiting.keys();
    if (oldest !== undefined && this.#waiting.size > MOST_WAITING) this.#waiting.delete(oldest);
    return ticket;
  }

  /** The mail, to a frame alone: opened by its address it would be a page of the console's origin. */
  answer(ticket: string, headers: IncomingHttpHeaders): ServiceResponse {
    const found = this.#waiting.get(ticket);
    this.#waiting.delete(ticket);
    if (!found || found.end < performance.now() || headers["sec-fetch-dest"] !== "iframe")
      return jsonResponse(404, { error: { message: "There is no such page." } });
    return mailPage(found.mail, found.pictures);
  }
}
