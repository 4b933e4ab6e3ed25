/**
 * Owns: encrypting a push message for one device (RFC 8291) with its key and secret, in the content encoding aes128gcm
 * (RFC 8188) and a single record. The push service that carries the message cannot read it.
 */
import { fromBase64url } from "./base64url.ts";

/** The device's public key and secret, in base64url, as its browser gave them. */
export interface DeviceKeys {
  p256dh: string;
  auth: string;
}

/** Generated for each message; tests pass the RFC's values. */
export interface Ephemeral {
  keys: CryptoKeyPair;
  /** 16 bytes. */
  salt: Uint8Array<ArrayBuffer>;
}

type Bytes = Uint8Array<ArrayBuffer>;

const ECDH = { name: "ECDH", namedCurve: "P-256" } as const;
/** A push service accepts bodies of 4096 bytes (RFC 8030, 7.2); the record has that size. */
const RECORD_SIZE = 4096;
const TAG_LENGTH = 16;
const HEADER_LENGTH = 16 + 4 + 1 + 65;
/** The longest text that fits, beside the header, the delimiter and the tag. */
export const MOST_BYTES = RECORD_SIZE - HEADER_LENGTH - 1 - TAG_LENGTH;

export async function freshEphemeral(): Promise<Ephemeral> {
  return {
    keys: await crypto.subtle.generateKey(ECDH, true, ["deriveBits"]),
    salt: crypto.getRandomValues(new Uint8Array(16)),
  };
}

/**
 * The body of the request to the push service.
 * @throws for a message above MOST_BYTES, or invalid keys
 */
export async function encrypt(
  message: Bytes,
  device: DeviceKeys,
  { keys, salt }: Ephemeral,
): Promise<Uint8Array<ArrayBuffer>> {
  if (message.length > MOST_BYTES) throw new Error(`A push message has at most ${MOST_BYTES} bytes.`);
  const receiver = fromBase64url(device.p256dh);
  const sender = new Uint8Array(await crypto.subtle.exportKey("raw", keys.publicKey));
  const receiverKey = await crypto.subtle.importKey("raw", receiver, ECDH, false, []);
  const shared = new Uint8Array(
    await crypto.subtle.deriveBits({ name: "ECDH", public: receiverKey }, keys.privateKey, 256),
  );
  const info = joined(ascii("WebPush: info\0"), receiver, sender);
  const material = await derive(shared, fromBase64url(device.auth), info, 32);
  const contentKey = await derive(material, salt, ascii("Content-Encoding: aes128gcm\0"), 16);
  const nonce = await derive(material, salt, ascii("Content-Encoding: nonce\0"), 12);
  const key = await crypto.subtle.importKey("raw", contentKey, "AES-GCM", false, ["encrypt"]);
  // The delimiter 2 marks the last record.
  const sealed = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv: nonce },
    key,
    joined(message, new Uint8Array([2])),
  );
  const size = new Uint8Array(4);
  new DataView(size.buffer).setUint32(0, RECORD_SIZE);
  return joined(salt, size, new Uint8Array([sender.length]), sender, new Uint8Array(sealed));
}

/** HKDF with SHA-256 (RFC 5869). */
async function derive(material: Bytes, salt: Bytes, info: Bytes, length: number): Promise<Bytes> {
  const key = await crypto.subtle.importKey("raw", material, "HKDF", false, ["deriveBits"]);
  return new Uint8Array(
    await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info }, key, length * 8),
  );
}

function ascii(text: string): Bytes {
  return new TextEncoder().encode(text);
}

function joined(...parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
