/**
 * The watch on the clients: what each version of supabase-js sends is asked of a Backend, or named in the sources of the
 * service that gets it. What is new and unknown fails here, and `npm run upstream` tells it before an update.
 */
import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createBackend } from "../../wings/testing.ts";
import { forThisFile } from "../for-this-file.ts";
import { CLIENTS, namesIn, sentBy } from "./sent.ts";

const HOMEBASE = join(import.meta.dirname, "..", "..");

/** The service that a client speaks to. */
interface Service {
  /** The path under which the gateway has it. */
  prefix: string;
  /** The folders of its code, as a pattern. */
  sources: string;
  /** Completes a path whose beginning the client keeps elsewhere. */
  path?: (path: string) => string;
  /** Names that the service need not know, with the reason. */
  needless?: Record<string, string>;
}

const SERVICES: Record<string, Service> = {
  "@supabase/auth-js": {
    prefix: "auth/v1",
    sources: "{src/auth,src/gateway,wings/{oauth-server,wallets,saml}}",
    needless: {
      ...named("chainId expirationTime", "the client writes them into the message that a wallet signs"),
      ...named("key_ops", "a member of a key, which is passed on whole"),
      ...named(
        "discovery_document revocation_endpoint supported_id_token_signing_algs supported_response_types supported_scopes supported_subject_types",
        "an optional copy of a provider's document, which is read anew here",
      ),
    },
  },
  "@supabase/storage-js": {
    prefix: "storage/v1",
    sources: "{src/storage,wings/{s3,vectors}}",
    needless: {
      ...named("noResolveJson", "an option of the client's own fetch"),
      ...named("cacheNonce", "makes an address that no cache knows"),
    },
    path: (path) => path.replace(/^\/(?=[A-Z])/, "/vector/").replace(/^\/\{\}\//, "/object/"),
  },
  "@supabase/postgrest-js": {
    prefix: "rest/v1",
    sources: "src/{rest,gateway}",
    needless: named("X-Retry-Count", "counts the client's repetitions for a log"),
  },
  "@supabase/functions-js": {
    prefix: "functions/v1",
    sources: "src/{functions,gateway}",
    needless: {
      ...named("forceFunctionRegion x-region", "one machine has one region"),
      ...named("x-relay-error", "only a relay between regions answers with it"),
    },
  },
  "@supabase/realtime-js": {
    prefix: "realtime/v1",
    sources: "src/{realtime,gateway}",
    needless: {
      ...named("CHANNEL_ERROR TIMED_OUT sync", "states and events of the client's own"),
      ...named("presence_ref", "the client's name for phx_ref"),
      ...named("type_modifier", "the client reads it from a column where it is there"),
      ...named("log_level", "how much the hosted service logs of a socket"),
    },
  },
};

/** Names with one reason. */
function named(names: string, reason: string): Record<string, string> {
  return Object.fromEntries(names.split(" ").map((name) => [name, reason]));
}

const backend = await forThisFile(createBackend({ bare: true }));

/** The answer's kind, without what names the request. */
async function answerOf(method: string, path: string): Promise<string> {
  const response = await fetch(`${backend.url}/${path}`, {
    method,
    headers: {
      apikey: backend.secretKey,
      authorization: `Bearer ${backend.secretKey}`,
      "content-type": "application/json",
    },
    ...(["GET", "HEAD", "DELETE"].includes(method) ? {} : { body: "{}" }),
  });
  return `${response.status} ${(await response.text()).replaceAll(/\/[\w/.-]+/g, "")}`;
}

describe.each(CLIENTS)("$name", (client) => {
  const service = SERVICES[client.name];
  if (!service) throw new Error(`${client.name} has no service.`);
  const sent = sentBy(client, dirname(fileURLToPath(import.meta.resolve(`${client.name}/package.json`))));

  it("sends no request that has no answer", async () => {
    const unanswered: string[] = [];
    for (const request of sent.requests) {
      const [method = "", path = ""] = request.split(" ");
      const real = service.path?.(path) ?? path;
      const answer = await answerOf(method, service.prefix + real.replaceAll("{}", crypto.randomUUID()));
      if (answer === (await answerOf(method, `${service.prefix}/no/such/route`)) || answer.startsWith("501"))
        unanswered.push(`${request}: ${answer}`);
    }
    expect(unanswered).toEqual([]);
  });

  it("sends no name that is not known", () => {
    const known = new Set(
      globSync(`${service.sources}/**/*.ts`, { cwd: HOMEBASE }).flatMap((file) => [
        ...namesIn(join(HOMEBASE, file)),
      ]),
    );
    const names = [...sent.members, ...sent.parameters, ...sent.headers, ...sent.words];
    const unknown = names.filter((name) =>
      name.split(/[=,{}]+/).some((part) => !known.has(part) && !known.has(part.toLowerCase())),
    );
    expect(unknown.sort()).toEqual(Object.keys(service.needless ?? {}).sort());
  });
});
