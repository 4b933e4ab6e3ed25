/**
 * Owns parsing the message that a wallet signs for sign-in (https://eips.ethereum.org/EIPS/eip-4361, which
 * Solana's format follows).
 */
import { validationFailed } from "../../src/auth/kit/errors.ts";

export type Chain = "solana" | "ethereum";

/** A parsed sign-in message. Times in milliseconds. */
export interface WalletMessage {
  domain: string;
  address: string;
  statement: string;
  uri: URL;
  network: string;
  issuedAt: number;
  notBefore: number | undefined;
  expiresAt: number | undefined;
}

const KINDS = {
  solana: {
    prefix: "siws",
    name: "Solana",
    address: /^[a-zA-Z0-9]{32,44}$/,
    badAddress: "wallet address is not in base58 format",
    network: /^(?:|(?:solana:)?(?:mainnet|testnet|devnet|localnet))$/,
  },
  ethereum: {
    prefix: "siwe",
    name: "Ethereum",
    address: /^0x[a-fA-F0-9]{40}$/,
    badAddress: "wallet address is not a valid Ethereum address",
    network: /^(?:0x[0-9a-fA-F]+|[0-9]+)$/,
  },
} as const;
const DOMAIN = /^(?:[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)*|\[[0-9a-fA-F:]+\])(?::\d+)?$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** @throws AuthError validation_failed */
export function parseWalletMessage(chain: Chain, raw: string): WalletMessage {
  const kind = KINDS[chain];
  const fail = (reason: string) => validationFailed(`${kind.prefix}: ${reason}`);
  const lines = raw.split("\n");
  const [first = "", second = "", third = "", fourth = "", fifth = ""] = lines;
  if (lines.length < 6) throw fail("message needs at least 6 lines");
  const suffix = ` wants you to sign in with your ${kind.name} account:`;
  if (!first.endsWith(suffix)) throw fail(`message first line does not end in "${suffix}"`);
  const domain = first.slice(0, -suffix.length).trim();
  if (!DOMAIN.test(domain)) throw fail("domain in first line of message is not valid");
  const address = second.trim();
  if (!kind.address.test(address)) throw fail(kind.badAddress);
  if (third !== "") throw fail("third line must be empty");
  const stated = fourth !== "" && fifth === "";
  const members = readMembers(lines, stated ? 5 : 3, fail);

  if (members.get("Version") !== "1") {
    throw fail(`Version value is not supported, expected 1 got "${members.get("Version") ?? ""}"`);
  }
  const network = members.get("Chain ID") ?? "";
  if (members.has("Chain ID") && !kind.network.test(network)) throw fail("Chain ID is not valid");
  const time = (name: string) => {
    const text = members.get(name);
    if (text === undefined) return undefined;
    const at = TIME.test(text) ? Date.parse(text) : Number.NaN;
    // A message is neither too old nor expired beside a time that does not exist: every comparison is false.
    if (Number.isNaN(at)) throw fail(`${name} is not a valid ISO8601 timestamp`);
    return at;
  };
  const [issuedAt, notBefore, expiresAt] = [time("Issued At"), time("Not Before"), time("Expiration Time")];
  if (issuedAt === undefined) throw fail("Issued At is not specified");
  const uri = members.get("URI");
  if (uri === undefined) throw fail("URI is not specified");
  if (!URL.canParse(uri)) throw fail("URI is not valid");
  if (expiresAt !== undefined && issuedAt > expiresAt) throw fail("Issued At is after Expiration Time");
  if (expiresAt !== undefined && notBefore !== undefined && notBefore > expiresAt) {
    throw fail("Not Before is after Expiration Time");
  }
  return {
    domain,
    // Mixed case is only a checksum in Ethereum: one wallet is one address.
    address: chain === "ethereum" ? address.toLowerCase() : address,
    statement: stated ? fourth : "",
    uri: new URL(uri),
    network,
    issuedAt,
    notBefore,
    expiresAt,
  };
}

/** Parses lines of `Name: value`; the list of resources is validated and skipped. */
function readMembers(
  lines: readonly string[],
  start: number,
  fail: (reason: string) => Error,
): Map<string, string> {
  const members = new Map<string, string>();
  let resources: number | undefined;
  for (const [offset, text] of lines.slice(start).entries()) {
    const line = text.trim();
    if (resources !== undefined && line.startsWith("- ")) {
      if (!URL.canParse(line.slice(2).trim()))
        throw fail(`Resource at position ${resources} has invalid URI`);
      resources += 1;
      continue;
    }
    resources = line === "Resources:" ? 0 : undefined;
    if (line === "" || resources !== undefined) continue;
    const colon = line.indexOf(":");
    if (colon < 0) throw fail(`encountered unparsable line at index ${start + offset}`);
    members.set(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return members;
}
