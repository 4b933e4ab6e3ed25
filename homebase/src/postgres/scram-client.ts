/**
 * Owns pg's client with a quicker login. Postgres's verifiers of the public password take 4,096 rounds to answer, and its
 * salt stays the same: RFC 5802 (section 3) lets a client keep what follows from them. pg derives it for each connection, and
 * computes each step in the thread pool.
 */
import { createHash, createHmac, pbkdf2Sync } from "node:crypto";
import pg from "pg";
import { PUBLIC_PASSWORD } from "./guarded-logins.ts";

/** The members of pg's client that its own types leave out. */
interface ClientInside {
  password: unknown;
  enableChannelBinding: boolean;
  saslSession: { clientNonce: string; message: string; response: string; serverSignature?: string };
  connection: { sendSCRAMClientFinalMessage(text: string): void };
}
type Continue = (this: pg.Client, message: { data: string }) => Promise<void>;

/** pg's handler of the server's first message. */
const own = (pg.Client.prototype as unknown as { _handleAuthSASLContinue: Continue })._handleAuthSASLContinue;
const salted = new Map<string, Buffer>();

export class ScramClient extends pg.Client {
  async _handleAuthSASLContinue(message: { data: string }): Promise<void> {
    const {
      password,
      enableChannelBinding,
      saslSession: session,
      connection,
    } = this as unknown as ClientInside;
    const [, nonce = "", salt = "", rounds] = /^r=([^,]+),s=([^,]+),i=(\d+)$/.exec(message.data) ?? [];
    const quick = rounds === "1" || password === PUBLIC_PASSWORD;
    // Other passwords may need normalising, and errors are pg's to report.
    if (
      !quick ||
      enableChannelBinding ||
      typeof password !== "string" ||
      !/^[!-~]+$/.test(password) ||
      !nonce.startsWith(session.clientNonce) ||
      nonce.length === session.clientNonce.length
    )
      return own.call(this, message);
    const key = saltedPassword(password, salt, Number(rounds));
    const clientKey = mac(key, "Client Key");
    const final = `c=biws,r=${nonce}`;
    const signed = `n=*,r=${session.clientNonce},${message.data},${final}`;
    const signature = mac(createHash("sha256").update(clientKey).digest(), signed);
    const proof = clientKey.map((byte, at) => byte ^ (signature[at] ?? 0));
    session.message = "SASLResponse";
    session.serverSignature = mac(mac(key, "Server Key"), signed).toString("base64");
    session.response = `${final},p=${Buffer.from(proof).toString("base64")}`;
    connection.sendSCRAMClientFinalMessage(session.response);
  }
}

function mac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function saltedPassword(password: string, salt: string, rounds: number): Buffer {
  const known = salted.get(salt);
  if (known) return known;
  const derived = pbkdf2Sync(password, Buffer.from(salt, "base64"), rounds, 32, "sha256");
  // A few roles have the public password, each with one salt for as long as nobody sets it.
  if (password === PUBLIC_PASSWORD && salted.size < 100) salted.set(salt, derived);
  return derived;
}
