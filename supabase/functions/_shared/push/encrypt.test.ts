/** Tests encrypt.ts with the example of RFC 8291, section 5 and appendix A. */
import { expect, it } from "vitest";
import { fromBase64url, toBase64url } from "./base64url.ts";
import { encrypt, freshEphemeral, MOST_BYTES } from "./encrypt.ts";

const example = {
  text: "When I grow up, I want to be a watermelon",
  sender: {
    public: "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
    private: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  },
  receiver: {
    public: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    private: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
  },
  salt: "DGv6ra1nlYgDCS1FRnbzlw",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
  body: "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
};

async function pair(keys: { public: string; private: string }): Promise<CryptoKeyPair> {
  const point = fromBase64url(keys.public);
  const [x, y] = [point.slice(1, 33), point.slice(33)].map(toBase64url);
  const curve = { name: "ECDH", namedCurve: "P-256" };
  return {
    publicKey: await crypto.subtle.importKey("raw", point, curve, true, []),
    privateKey: await crypto.subtle.importKey(
      "jwk",
      { kty: "EC", crv: "P-256", x, y, d: keys.private },
      curve,
      false,
      ["deriveBits"],
    ),
  };
}

it("gives the body of the RFC's example", async () => {
  const body = await encrypt(
    new TextEncoder().encode(example.text),
    { p256dh: example.receiver.public, auth: example.auth },
    { keys: await pair(example.sender), salt: fromBase64url(example.salt) },
  );
  expect(toBase64url(body)).toBe(example.body);
});

it("uses another key and salt for each message, and refuses a text that is too long", async () => {
  const device = { p256dh: example.receiver.public, auth: example.auth };
  const longest = new Uint8Array(MOST_BYTES);
  const [one, two] = await Promise.all([
    encrypt(longest, device, await freshEphemeral()),
    encrypt(longest, device, await freshEphemeral()),
  ]);
  expect(one.length).toBe(4096);
  expect(toBase64url(one.slice(0, 86))).not.toBe(toBase64url(two.slice(0, 86)));
  await expect(encrypt(new Uint8Array(MOST_BYTES + 1), device, await freshEphemeral())).rejects.toThrow(
    "3993 bytes",
  );
});

it("refuses a key that is not a point on the curve", async () => {
  const device = { p256dh: `B${"A".repeat(86)}`, auth: example.auth };
  await expect(encrypt(new Uint8Array(1), device, await freshEphemeral())).rejects.toThrow();
});
