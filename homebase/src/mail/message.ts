/** Owns a mail as a value: the stored data, its formats in Mailpit's API, its source. */
import { randomInt, randomUUID } from "node:crypto";
import type { MailAttachment, OutgoingMail } from "../service-context.ts";
import { textOfHtml } from "./extracted-text.ts";

const ID_ALPHABET = "23456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ";
const ID_LENGTH = 22;
const SNIPPET_LENGTH = 250;

/** An address in Mailpit's format. */
export interface Address {
  Name: string;
  Address: string;
}

/** A stored mail. */
export interface Message {
  id: string;
  messageId: string;
  from: Address;
  to: Address[];
  subject: string;
  html: string;
  text: string;
  headers: Record<string, string>;
  /** Absent in mails stored by an earlier version. */
  attachments?: MailAttachment[];
  /** RFC 3339. */
  created: string;
  read: boolean;
  /** The source's length in bytes. */
  size: number;
}

/** Whether a value read from a file is a stored mail. */
export function isMessage(value: unknown): value is Message {
  if (typeof value !== "object" || value === null) return false;
  const message = value as Partial<Record<keyof Message, unknown>>;
  const texts = [message.id, message.messageId, message.subject, message.html, message.text, message.created];
  return (
    texts.every((text) => typeof text === "string") &&
    typeof message.read === "boolean" &&
    typeof message.size === "number" &&
    isAddress(message.from) &&
    Array.isArray(message.to) &&
    message.to.every(isAddress) &&
    typeof message.headers === "object" &&
    message.headers !== null
  );
}

function isAddress(value: unknown): value is Address {
  const address = value as Partial<Address> | null | undefined;
  return typeof address?.Name === "string" && typeof address.Address === "string";
}

/** Creates a stored mail with ids and time. */
export function toMessage(mail: OutgoingMail, now: number): Message {
  const message: Message = {
    id: Array.from({ length: ID_LENGTH }, () => ID_ALPHABET[randomInt(ID_ALPHABET.length)]).join(""),
    messageId: `${randomUUID()}@homebase`,
    from: { Name: mail.from.name, Address: mail.from.address },
    to: mail.to.map(({ name, address }) => ({ Name: name, Address: address })),
    subject: mail.subject,
    html: mail.html ?? "",
    text: mail.text ?? textOfHtml(mail.html ?? ""),
    headers: mail.headers ?? {},
    ...(mail.attachments?.length ? { attachments: mail.attachments } : {}),
    created: new Date(now).toISOString(),
    read: false,
    size: 0,
  };
  message.size = Buffer.byteLength(source(message));
  return message;
}

/** An entry of the list. */
export function summary(message: Message): Record<string, unknown> {
  return {
    ID: message.id,
    MessageID: message.messageId,
    Read: message.read,
    From: message.from,
    To: message.to,
    Cc: [],
    Bcc: [],
    ReplyTo: [],
    Subject: message.subject,
    Created: message.created,
    Username: "",
    Tags: [],
    Size: message.size,
    Attachments: message.attachments?.length ?? 0,
    Snippet: message.text.replace(/\s+/g, " ").trim().slice(0, SNIPPET_LENGTH),
  };
}

/** A complete mail. */
export function detail(message: Message): Record<string, unknown> {
  return {
    ID: message.id,
    MessageID: message.messageId,
    From: message.from,
    To: message.to,
    Cc: [],
    Bcc: [],
    ReplyTo: [],
    ReturnPath: message.from.Address,
    Subject: message.subject,
    ListUnsubscribe: { Header: "", Links: [], Errors: "", HeaderPost: "" },
    Date: message.created,
    Tags: [],
    Username: "",
    Text: message.text,
    HTML: message.html,
    Size: message.size,
    Inline: [],
    Attachments: (message.attachments ?? []).map((file, index) => ({
      PartID: partId(index),
      FileName: file.name,
      ContentType: file.type.split(";")[0],
      ContentID: file.contentId ?? "",
      Size: Buffer.byteLength(file.content, "base64"),
    })),
  };
}

/** The text is part 1; files follow. */
function partId(index: number): string {
  return String(index + 2);
}

/** The file with a part's number, as in `detail`. */
export function attachmentOf(message: Message, part: string): MailAttachment | undefined {
  return message.attachments?.find((_file, index) => partId(index) === part);
}

/** The headers, each with the list of its values. */
export function headerMap(message: Message): Record<string, string[]> {
  return Object.fromEntries(headerLines(message).map(([name, value]) => [name, [value]]));
}

function headerLines(message: Message): [string, string][] {
  return [
    ["Date", new Date(message.created).toUTCString().replace("GMT", "+0000")],
    ["From", formatAddress(message.from)],
    ["To", message.to.map(formatAddress).join(", ")],
    ["Subject", encodeWord(message.subject)],
    ["Message-Id", `<${message.messageId}>`],
    ["Mime-Version", "1.0"],
    ...Object.entries(message.headers),
    [
      "Content-Type",
      message.attachments?.length
        ? `multipart/mixed; boundary="${boundary(message)}_m"`
        : `multipart/alternative; boundary="${boundary(message)}"`,
    ],
  ];
}

/** The mail's source: RFC 5322 headers, both texts and the files (RFC 2045). */
export function source(message: Message): string {
  const alternatives = `${part(boundary(message), "text/plain; charset=utf-8", message.text)}${part(
    boundary(message),
    "text/html; charset=utf-8",
    message.html,
  )}--${boundary(message)}--\r\n`;
  const head = headerLines(message).map(([name, value]) => `${name}: ${value.replace(/[\r\n]+/g, " ")}\r\n`);
  if (!message.attachments?.length) return `${head.join("")}\r\n${alternatives}`;
  const outer = `${boundary(message)}_m`;
  const files = message.attachments.map(({ name, type, content }) =>
    part(
      outer,
      type.replace(/[\r\n]+/g, " "),
      Buffer.from(content, "base64"),
      `Content-Disposition: attachment; filename="${encodeWord(name).replace(/["\r\n]/g, "")}"\r\n`,
    ),
  );
  return `${head.join("")}\r\n--${outer}\r\nContent-Type: multipart/alternative; boundary="${boundary(message)}"\r\n\r\n${alternatives}${files.join("")}--${outer}--\r\n`;
}

function part(border: string, type: string, body: string | Buffer, headers = ""): string {
  const lines =
    Buffer.from(body)
      .toString("base64")
      .match(/.{1,76}/g) ?? [];
  return `--${border}\r\nContent-Type: ${type}\r\n${headers}Content-Transfer-Encoding: base64\r\n\r\n${lines.join("\r\n")}\r\n`;
}

function boundary(message: Message): string {
  return `=_${message.messageId.slice(0, 36)}`;
}

function formatAddress({ Name, Address: address }: Address): string {
  return Name === "" ? `<${address}>` : `"${Name.replace(/["\\]/g, "\\$&")}" <${address}>`;
}

/** Text outside ASCII as an encoded word (RFC 2047). */
function encodeWord(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : `=?utf-8?B?${Buffer.from(text).toString("base64")}?=`;
}
