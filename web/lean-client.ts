/**
 * Owns: leaving out of the build the parts of supabase-js that Nosh never calls, and loading others when they are
 * first called. Decision 14 says why. A part that is left out throws an error with its name if it is called.
 */
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const lazy = (file: string) => fileURLToPath(new URL(`src/lib/backend/${file}`, import.meta.url));

/** Modules replaced by our own, which load the real ones by another path when they are needed. */
const replaced: Record<string, string> = {
  "@supabase/realtime-js": lazy("lazy-realtime.ts"),
  "@supabase/storage-js": lazy("lazy-storage.ts"),
};

/** Modules that are left out: how the library names them, and what it imports from them. */
const leftOut: Record<string, { names: string[]; classes: string[] }> = {
  // Nosh has no sign-in by passkey or wallet.
  "./lib/webauthn": {
    names: [
      "browserSupportsWebAuthn",
      "createCredential",
      "deserializeCredentialCreationOptions",
      "deserializeCredentialRequestOptions",
      "getCredential",
      "serializeCredentialCreationResponse",
      "serializeCredentialRequestResponse",
      "webAuthnAbortService",
    ],
    classes: ["WebAuthnApi"],
  },
  "./lib/web3/ethereum": { names: ["createSiweMessage", "fromHex", "getAddress", "toHex"], classes: [] },
  // Analytics buckets.
  "iceberg-js": { names: [], classes: ["IcebergRestCatalog"] },
};

const STUB = "\0left-out:";

export function leanClient(): Plugin {
  return {
    name: "nosh:lean-client",
    // Development serves the library as it is, bundled beforehand.
    apply: "build",
    enforce: "pre",
    resolveId(source, importer) {
      if (replaced[source]) return replaced[source];
      if (leftOut[source] && importer?.includes("/node_modules/@supabase/")) return STUB + source;
      return null;
    },
    load(id) {
      if (!id.startsWith(STUB)) return null;
      const source = id.slice(STUB.length);
      const { names, classes } = leftOut[source] ?? { names: [], classes: [] };
      const gone = JSON.stringify(`Nosh is built without ${source} (web/lean-client.ts).`);
      return [
        `const gone = () => { throw new Error(${gone}); };`,
        // The library always constructs this class, so the constructor must work; only its methods throw.
        `class LeftOut { constructor() { return new Proxy(this, { get: () => gone }); } }`,
        ...names.map((name) => `export const ${name} = gone;`),
        ...classes.map((name) => `export { LeftOut as ${name} };`),
      ].join("\n");
    },
  };
}
