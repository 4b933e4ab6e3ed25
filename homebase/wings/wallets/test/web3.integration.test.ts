/** Sign-in with a wallet (docs/compat/auth.md 1, "Grant web3"). */
import { createECDH, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import { clientOf } from "../../../test/auth/client.ts";
import { forThisFile } from "../../../test/for-this-file.ts";
import { authBackend } from "../../testing.ts";
import { keccak256 } from "../keccak.ts";
import { isEthereumSignature } from "../signatures.ts";

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

function base58(bytes: Buffer): string {
  let value = BigInt(`0x${bytes.toString("hex")}`);
  let text = "";
  for (; value > 0n; value /= 58n) text = (BASE58[Number(value % 58n)] ?? "") + text;
  return "1".repeat(bytes.findIndex((byte) => byte !== 0)) + text;
}

/** A wallet of Solana: an Ed25519 key. */
function solanaWallet(): { address: string; sign: (text: string) => string } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
  const key: KeyObject = privateKey;
  return { address: base58(raw), sign: (text) => sign(null, Buffer.from(text), key).toString("base64url") };
}

/** An Ethereum wallet: ECDSA implemented here, because Node cannot sign a given hash. */
function ethereumWallet(): { address: string; sign: (text: string) => string } {
  const key = createECDH("secp256k1");
  const point = key.generateKeys();
  const secret = BigInt(`0x${key.getPrivateKey("hex")}`);
  return {
    address: `0x${keccak256(point.subarray(1)).subarray(12).toString("hex")}`,
    sign: (text) => {
      const body = Buffer.from(text);
      const head = Buffer.from(`\x19Ethereum Signed Message:\n${body.length}`);
      const hash = BigInt(`0x${keccak256(Buffer.concat([head, body])).toString("hex")}`);
      const once = createECDH("secp256k1");
      const nonce = once.generateKeys();
      const k = BigInt(`0x${once.getPrivateKey("hex")}`);
      const r = BigInt(`0x${nonce.subarray(1, 33).toString("hex")}`) % N;
      const s = (power(k, N - 2n) * ((hash + r * secret) % N)) % N;
      const v = 27 + ((nonce[64] ?? 0) & 1);
      const hex = (value: bigint) => value.toString(16).padStart(64, "0");
      return `0x${hex(r)}${hex(s)}${v.toString(16)}`;
    },
  };
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = base, rest = exponent; rest > 0n; rest >>= 1n, square = (square * square) % N) {
    if (rest & 1n) result = (result * square) % N;
  }
  return result;
}

describe("a signature of Ethereum", () => {
  it("is checked by Keccak-256, whose hashes of nothing and of a long text are known", () => {
    expect(keccak256(Buffer.alloc(0)).toString("hex")).toBe(
      "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
    );
    expect(keccak256(Buffer.from("abc")).toString("hex")).toBe(
      "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45",
    );
    expect(keccak256(Buffer.alloc(135, 1))).toHaveLength(32);
  });

  it("tells the address that made it: the example of web3.js", () => {
    const signature = Buffer.from(
      "b91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c",
      "hex",
    );
    const address = "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23";
    expect(isEthereumSignature(address, "Some data", signature)).toBe(true);
    expect(isEthereumSignature(address, "Some date", signature)).toBe(false);
    expect(isEthereumSignature(address, "Some data", Buffer.alloc(65))).toBe(false);
  });
});

const backend = await forThisFile(
  authBackend({
    site_url: "https://nosh.example",
    web3: { solana: { enabled: true }, ethereum: { enabled: true } },
  }),
);

interface Changes {
  domain?: string;
  uri?: string;
  issuedAt?: number;
  more?: string[];
}

function messageOf(chain: "Solana" | "Ethereum", address: string, changes: Changes = {}): string {
  const issued = new Date(changes.issuedAt ?? backend.clock.now()).toISOString();
  return [
    `${changes.domain ?? "nosh.example"} wants you to sign in with your ${chain} account:`,
    address,
    "",
    "Let me in.",
    "",
    `URI: ${changes.uri ?? "https://nosh.example/welcome"}`,
    "Version: 1",
    ...(chain === "Ethereum" ? ["Chain ID: 1"] : ["Chain ID: solana:mainnet"]),
    `Nonce: ${randomBytes(8).toString("hex")}`,
    `Issued At: ${issued}`,
    ...(changes.more ?? []),
    "Resources:",
    "- https://nosh.example/terms",
  ].join("\n");
}

describe("signInWithWeb3", () => {
  it("signs a Solana wallet in, the same user each time, without an address for mail", async () => {
    const wallet = solanaWallet();
    const signIn = () => {
      const message = messageOf("Solana", wallet.address);
      const signature = Buffer.from(wallet.sign(message), "base64url");
      return clientOf(backend).auth.signInWithWeb3({
        chain: "solana",
        message,
        signature: new Uint8Array(signature),
      });
    };
    const { data, error } = await signIn();
    expect(error).toBeNull();
    const sub = `web3:solana:${wallet.address}`;
    const claims = {
      address: wallet.address,
      chain: "solana",
      network: "solana:mainnet",
      domain: "nosh.example",
      statement: "Let me in.",
    };
    expect(data.user).toMatchObject({
      email: "",
      app_metadata: { provider: "web3", providers: ["web3"] },
      identities: [{ provider: "web3", id: sub }],
    });
    expect(data.user?.user_metadata).toEqual({
      sub,
      custom_claims: claims,
      email_verified: false,
      phone_verified: false,
    });
    expect(decodeJwt(data.session?.access_token ?? "").amr).toMatchObject([{ method: "web3" }]);
    expect((await signIn()).data.user?.id).toBe(data.user?.id);
  });

  it("signs an Ethereum wallet in, whose address is one in any case", async () => {
    const wallet = ethereumWallet();
    const signIn = (address: string) => {
      const message = messageOf("Ethereum", address);
      const signature = wallet.sign(message) as `0x${string}`;
      return clientOf(backend).auth.signInWithWeb3({ chain: "ethereum", message, signature });
    };
    const { data, error } = await signIn(wallet.address);
    expect(error).toBeNull();
    expect(data.user?.identities?.[0]?.id).toBe(`web3:ethereum:${wallet.address}`);
    const shouted = await signIn(`0x${wallet.address.slice(2).toUpperCase()}`);
    expect(shouted.data.user?.id).toBe(data.user?.id);
  });

  const grant = async (body: Record<string, string>) => {
    const response = await fetch(`${backend.url}/auth/v1/token?grant_type=web3`, {
      method: "POST",
      headers: { apikey: backend.publishableKey },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it("refuses what another wallet signed, for another place or at another time", async () => {
    const wallet = solanaWallet();
    const try_ = (changes: Changes, signer = wallet) => {
      const message = messageOf("Solana", wallet.address, changes);
      return grant({ chain: "solana", message, signature: signer.sign(message) });
    };
    const minute = 60_000;
    const at = (minutes: number) => new Date(backend.clock.now() + minutes * minute).toISOString();
    const cases: [Promise<unknown>, string][] = [
      [try_({}, solanaWallet()), "Signature does not match address in message"],
      [try_({ uri: "http://nosh.example/" }), "Signed Solana message is using URI which does not use HTTPS"],
      [
        try_({ uri: "https://evil.example/" }),
        "Signed Solana message is using URI which is not allowed on this server, message was signed for another app",
      ],
      [
        try_({ domain: "evil.example" }),
        "Signed Solana message is using a Domain that does not match the one in URI which is not allowed on this server",
      ],
      [try_({ issuedAt: backend.clock.now() - 11 * minute }), "Solana message was issued too long ago"],
      [
        try_({ issuedAt: backend.clock.now() + 11 * minute }),
        "Solana message was issued too far in the future",
      ],
      [try_({ more: [`Not Before: ${at(1)}`] }), "Signed Solana message becomes valid in the future"],
      [
        try_({ issuedAt: backend.clock.now() - 2 * minute, more: [`Expiration Time: ${at(-1)}`] }),
        "Signed Solana message is expired",
      ],
    ];
    for (const [answer, description] of cases) {
      expect(await answer).toEqual({
        status: 400,
        body: { error: "invalid_grant", error_description: description },
      });
    }
  });

  it("refuses what is no message and no signature", async () => {
    const wallet = solanaWallet();
    const message = messageOf("Solana", wallet.address);
    const signature = wallet.sign(message);
    const cases: [Record<string, string>, string, string][] = [
      [{ chain: "dogecoin", message, signature }, "web3_unsupported_chain", "Unsupported chain"],
      [{ chain: "solana", message: "short", signature }, "validation_failed", "message is too short"],
      [
        { chain: "solana", message: "x".repeat(20_481), signature },
        "validation_failed",
        "message must not exceed 20KB",
      ],
      [
        { chain: "solana", message, signature: "short" },
        "validation_failed",
        "signature must be 64 bytes encoded as base64 with or without padding",
      ],
      [
        { chain: "ethereum", message, signature },
        "validation_failed",
        "signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string",
      ],
      [
        { chain: "solana", message: message.replace("Version: 1", "Version: 2"), signature },
        "validation_failed",
        'siws: Version value is not supported, expected 1 got "2"',
      ],
      [
        { chain: "solana", message: message.replace(/Issued At: .*/, "Issued At: soon"), signature },
        "validation_failed",
        "siws: Issued At is not a valid ISO8601 timestamp",
      ],
      [
        {
          chain: "solana",
          message: message.replace(/Issued At: .*/, "Issued At: 2026-13-45T00:00:00Z"),
          signature,
        },
        "validation_failed",
        "siws: Issued At is not a valid ISO8601 timestamp",
      ],
      [
        { chain: "solana", message: `${message}\nExpiration Time: 2026-13-45T00:00:00Z`, signature },
        "validation_failed",
        "siws: Expiration Time is not a valid ISO8601 timestamp",
      ],
      [
        { chain: "solana", message: message.replace(/URI: .*/, "nonsense"), signature },
        "validation_failed",
        "siws: encountered unparsable line at index 5",
      ],
    ];
    for (const [body, code, msg] of cases) {
      expect(await grant(body)).toEqual({ status: 400, body: { code: 400, error_code: code, msg } });
    }
  });

  it("is off for each chain that is off", async () => {
    await using other = await authBackend({ web3: { solana: { enabled: true } } });
    const response = await fetch(`${other.url}/auth/v1/token?grant_type=web3`, {
      method: "POST",
      headers: { apikey: other.publishableKey },
      body: JSON.stringify({ chain: "ethereum" }),
    });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      error_code: "web3_provider_disabled",
      msg: "Ethereum Web3 provider is disabled",
    });
  });
});
