/** Owns a software authenticator: ES256 keys, attestation "none" (https://www.w3.org/TR/webauthn-3/ 6). */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const ATTESTED = 0x40;
const AAGUID = "11111111-2222-4333-8444-555555555555";

interface Key {
  id: Buffer;
  privateKey: KeyObject;
  rpId: string;
  userHandle: string;
  counter: number;
}

/** The members of creation and request options that are used here. */
export interface Options {
  challenge: string;
  rp?: { id?: string };
  rpId?: string;
  user?: { id: string };
}

/** A software authenticator. `origin` is the page's origin in its responses. */
export class Authenticator {
  readonly #keys: Key[] = [];
  readonly origin: string;

  constructor(origin: string) {
    this.origin = origin;
  }

  /** `navigator.credentials.create`, as JSON. */
  create(options: Options) {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const key: Key = {
      id: randomBytes(16),
      privateKey,
      rpId: options.rp?.id ?? "",
      userHandle: options.user?.id ?? "",
      counter: 0,
    };
    this.#keys.push(key);
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    const cose = cbor(
      new Map<number, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, "base64url")],
        [-3, Buffer.from(y, "base64url")],
      ]),
    );
    const length = Buffer.alloc(2);
    length.writeUInt16BE(key.id.length);
    const attested = Buffer.concat([Buffer.from(AAGUID.replaceAll("-", ""), "hex"), length, key.id, cose]);
    const data = Buffer.concat([head(key, ATTESTED), attested]);
    const object = cbor(
      new Map<string, Cbor>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", data],
      ]),
    );
    return this.#credential(key, {
      clientDataJSON: this.#clientData("webauthn.create", options.challenge),
      attestationObject: object.toString("base64url"),
      transports: ["internal"],
    });
  }

  /** `navigator.credentials.get`, as JSON, with the newest key. */
  get(options: Options) {
    const key = this.#keys.at(-1);
    if (!key) throw new Error("No key was made.");
    key.counter += 1;
    const clientDataJSON = this.#clientData("webauthn.get", options.challenge);
    const data = head(key, 0);
    const hash = createHash("sha256").update(Buffer.from(clientDataJSON, "base64url")).digest();
    return this.#credential(key, {
      clientDataJSON,
      authenticatorData: data.toString("base64url"),
      signature: sign("sha256", Buffer.concat([data, hash]), key.privateKey).toString("base64url"),
      userHandle: key.userHandle,
    });
  }

  #credential<Response>(key: Key, response: Response) {
    const id = key.id.toString("base64url");
    return { id, rawId: id, type: "public-key" as const, clientExtensionResults: {}, response };
  }

  #clientData(type: string, challenge: string): string {
    const text = JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false });
    return Buffer.from(text).toString("base64url");
  }
}

function head(key: Key, flags: number): Buffer {
  const rest = Buffer.alloc(5);
  rest.writeUInt8(USER_PRESENT | USER_VERIFIED | flags);
  rest.writeUInt32BE(key.counter, 1);
  return Buffer.concat([createHash("sha256").update(key.rpId).digest(), rest]);
}

type Cbor = number | string | Buffer | Map<number | string, Cbor>;

/** The CBOR that an authenticator needs (RFC 8949). */
function cbor(value: Cbor): Buffer {
  if (typeof value === "number") return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value);
  if (typeof value === "string")
    return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([cborHead(2, value.length), value]);
  const members = [...value].flatMap(([name, member]) => [cbor(name), cbor(member)]);
  return Buffer.concat([cborHead(5, value.size), ...members]);
}

function cborHead(major: number, amount: number): Buffer {
  if (amount < 24) return Buffer.from([(major << 5) | amount]);
  if (amount < 256) return Buffer.from([(major << 5) | 24, amount]);
  return Buffer.from([(major << 5) | 25, amount >> 8, amount & 255]);
}
