/**
 * Owns: the tests' push service, and a device that subscribes with it. The service records each request; the device checks
 * the sender's token (RFC 8292) and decrypts the message (RFC 8291), with code that shares nothing with the sender's.
 */
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The origin of the tests' push service, as browsers would name it. */
export const ORIGIN = "https://push.test";

export interface Pushed {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

export interface PushService {
  received: Pushed[];
  /** The response status for a path; 201 for all others. */
  answers: Map<string, number>;
  /** The value of PUSH_STAND_IN. */
  standIn: string;
  close(): void;
}

export async function startPushService(): Promise<PushService> {
  const received: Pushed[] = [];
  const answers = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? "";
    const status = answers.get(path) ?? 201;
    if (status === 201) received.push({ path, headers: request.headers, body: Buffer.concat(chunks) });
    response.writeHead(status, status === 201 ? { location: `${ORIGIN}/message/1` } : {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    received,
    answers,
    standIn: `${ORIGIN}=http://127.0.0.1:${port}`,
    close: () => void server.close(),
  };
}

export interface Device {
  path: string;
  /** The subscription that its browser gives the app. */
  subscription: { endpoint: string; p256dh: string; auth: string };
  /** The messages for this device, oldest first. */
  messages(service: PushService): {
    title: string;
    body: string;
    path: string;
    tag: string;
    lang: string;
    ttl: number;
    topic: unknown;
  }[];
}

export function newDevice(publicKey: string): Device {
  const keys = createECDH("prime256v1");
  const p256dh = keys.generateKeys();
  const auth = randomBytes(16);
  const path = `/device/${randomBytes(12).toString("base64url")}`;
  return {
    path,
    subscription: {
      endpoint: `${ORIGIN}${path}`,
      p256dh: p256dh.toString("base64url"),
      auth: auth.toString("base64url"),
    },
    messages: ({ received }) =>
      received
        .filter((one) => one.path === path)
        .map(({ headers, body }) => {
          checkToken(String(headers.authorization), publicKey);
          if (headers["content-encoding"] !== "aes128gcm") throw new Error("another encoding");
          return {
            ...JSON.parse(decrypt(body, keys, p256dh, auth)),
            ttl: Number(headers.ttl),
            topic: headers.topic,
          };
        }),
  };
}

function checkToken(authorization: string, publicKey: string): void {
  const [, head = "", claims = "", signature = "", key = ""] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  if (key !== publicKey) throw new Error("The token was signed with another key than the subscription's.");
  const point = Buffer.from(key, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString("base64url"));
  const signed = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    {
      key: createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" }),
      dsaEncoding: "ieee-p1363",
    },
    Buffer.from(signature, "base64url"),
  );
  if (!signed) throw new Error("The token's signature is wrong.");
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, "base64url").toString());
  const left = exp - Date.now() / 1000;
  if (aud !== ORIGIN || left <= 0 || left > 86_400 || sub !== "mailto:table@nosh.test") {
    throw new Error(`The token claims ${JSON.stringify({ aud, exp, sub })}.`);
  }
}

function decrypt(body: Buffer, keys: ReturnType<typeof createECDH>, own: Buffer, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  const idLength = body[20] ?? 0;
  const sender = body.subarray(21, 21 + idLength);
  const sealed = body.subarray(21 + idLength, -16);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), own, sender]);
  const material = Buffer.from(hkdfSync("sha256", keys.computeSecret(sender), auth, info, 32));
  const key = (name: string, length: number) =>
    Buffer.from(hkdfSync("sha256", material, salt, Buffer.from(`Content-Encoding: ${name}\0`), length));
  const decipher = createDecipheriv("aes-128-gcm", key("aes128gcm", 16), key("nonce", 12));
  decipher.setAuthTag(body.subarray(-16));
  const padded = Buffer.concat([decipher.update(sealed), decipher.final()]);
  return padded.subarray(0, padded.lastIndexOf(2)).toString();
}
