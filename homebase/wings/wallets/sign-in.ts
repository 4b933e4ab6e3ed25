/** Owns POST /token?grant_type=web3: sign-in with a message signed by a wallet (docs/compat/auth.md 1). */
import { z } from "zod";
import { transact } from "../../src/auth/kit/as-auth-admin.ts";
import type { Auth } from "../../src/auth/kit/auth.ts";
import { badRequest, OAuthError, unprocessable, validationFailed } from "../../src/auth/kit/errors.ts";
import { type AuthRequest, fields } from "../../src/auth/kit/request-fields.ts";
import { signInByAccount } from "../../src/auth/sessions/external-account.ts";
import { beginSession, sessionResponse } from "../../src/auth/sessions/sessions.ts";
import { audit } from "../../src/auth/users/audit-record.ts";
import type { ServiceResponse } from "../../src/http/exchange.ts";
import { type Chain, parseWalletMessage, type WalletMessage } from "./message.ts";
import { isEthereumSignature, isSolanaSignature } from "./signatures.ts";

const MESSAGE_MIN = 64;
const MESSAGE_MAX = 20 * 1024;
/** Validity of a message after, and tolerance before, its issue time. */
const VALIDITY_MS = 600_000;

const body = z.object({
  message: z.string().default(""),
  signature: z.string().default(""),
  chain: z.string().default(""),
});

const NAMES: Record<Chain, string> = { solana: "Solana", ethereum: "Ethereum" };
const refused = (description: string) => new OAuthError("invalid_grant", description);

/** Signs in with a message signed by a wallet. A wallet has no email address, so it is a user of its own. */
export async function endpoint(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const { web3 } = auth.config;
  if (!web3.solana?.enabled && !web3.ethereum?.enabled) {
    throw unprocessable("web3_provider_disabled", "Web3 provider is disabled");
  }
  const { chain, message: raw, signature } = await fields(request, body);
  if (chain !== "solana" && chain !== "ethereum") {
    throw badRequest("web3_unsupported_chain", "Unsupported chain");
  }
  if (!web3[chain]?.enabled) {
    throw unprocessable("web3_provider_disabled", `${NAMES[chain]} Web3 provider is disabled`);
  }
  if (raw.length < MESSAGE_MIN) throw validationFailed("message is too short");
  if (raw.length > MESSAGE_MAX) throw validationFailed("message must not exceed 20KB");
  const bytes = readSignature(chain, signature);
  const message = parseWalletMessage(chain, raw);
  const signed =
    chain === "solana"
      ? isSolanaSignature(message.address, raw, bytes)
      : isEthereumSignature(message.address, raw, bytes);
  if (!signed) throw refused("Signature does not match address in message");
  checkPlace(auth, chain, message);
  checkTime(chain, message, auth.context.clock.now());
  const { address, network, domain, statement, uri } = message;
  const account = {
    provider: "web3",
    issuer: "",
    sub: `web3:${chain}:${address}`,
    email: "",
    emailVerified: false,
    name: "",
    userName: "",
    avatarUrl: "",
    customClaims: { address, chain, network, domain, statement },
  };
  const flow = { linking_target_id: null, email_optional: true, invite_token: null };
  const granted = await transact(auth, request, async (call) => {
    const user = await signInByAccount(call, flow, account);
    const traits = { provider: "web3", chain, network, address, domain, uri: uri.href };
    audit(call, "login", user, traits);
    return beginSession(call, user, "web3");
  });
  return sessionResponse(auth, granted);
}

/** @throws AuthError validation_failed */
function readSignature(chain: Chain, text: string): Buffer {
  if (chain === "ethereum") {
    const hex = text.replace(/^0x/, "");
    if (!/^[0-9a-fA-F]{130}$/.test(hex)) {
      throw validationFailed(
        "signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string",
      );
    }
    return Buffer.from(hex, "hex");
  }
  if (text.length !== 86 && text.length !== 88) {
    throw validationFailed("signature must be 64 bytes encoded as base64 with or without padding");
  }
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) {
    throw validationFailed("signature does not contain valid base64 characters");
  }
  return Buffer.from(text, "base64url");
}

/** Rejects a message signed for another app. @throws OAuthError */
function checkPlace(auth: Auth, chain: Chain, { uri, domain }: WalletMessage): void {
  const start = `Signed ${NAMES[chain]} message is using`;
  const local = uri.hostname === "localhost";
  if (uri.protocol !== "https:" && !local) throw refused(`${start} URI which does not use HTTPS`);
  if (!auth.redirects.allows(uri.href)) {
    throw refused(`${start} URI which is not allowed on this server, message was signed for another app`);
  }
  if (!local && (uri.host !== domain || !auth.redirects.allows(`https://${domain}/`))) {
    throw refused(`${start} a Domain that does not match the one in URI which is not allowed on this server`);
  }
}

/** @throws OAuthError */
function checkTime(chain: Chain, { issuedAt, notBefore, expiresAt }: WalletMessage, now: number): void {
  const name = NAMES[chain];
  if (notBefore !== undefined && now < notBefore) {
    throw refused(`Signed ${name} message becomes valid in the future`);
  }
  if (expiresAt !== undefined && now > expiresAt) throw refused(`Signed ${name} message is expired`);
  if (now > issuedAt + VALIDITY_MS) throw refused(`${name} message was issued too long ago`);
  if (now < issuedAt - VALIDITY_MS) throw refused(`${name} message was issued too far in the future`);
}
