/** Owns asking a Backend over HTTP, and explaining what its record then holds, as `homebase explain --last` does. */
import type pg from "pg";
import {
  askedOf,
  type ExplainRequestOptions,
  explain,
  sentenceTexts,
  tracing,
} from "../../src/explain/index.ts";
import { explainLogin } from "../../src/postgres/explain-login.ts";
import type { TestBackend } from "../../src/testing/index.ts";

export interface Sent {
  json?: unknown;
  headers?: Record<string, string>;
  /** Claims of the token beside the role; without `sub` it is the anonymous key. */
  claims?: Record<string, unknown>;
}

export interface Answered {
  status: number;
  body: unknown;
  sentences: string[];
  /** The sentences and what has changed, as one text. */
  text: string;
}

/** The real answer, and then the explanation of the record. */
export function answering(backend: TestBackend, db: pg.ClientBase) {
  return async (
    method: string,
    path: string,
    { json, headers, claims }: Sent = {},
    options: ExplainRequestOptions = {},
  ): Promise<Answered> => {
    const now = Math.floor(backend.clock.now() / 1000);
    const token = claims
      ? await backend.backend.keys.sign({
          aud: "authenticated",
          role: "authenticated",
          iat: now,
          exp: now + 3600,
          ...claims,
        })
      : backend.anonKey;
    const response = await fetch(`${backend.url}/rest/v1/${path}`, {
      method,
      headers: {
        apikey: backend.publishableKey,
        authorization: `Bearer ${token}`,
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const body: unknown = await response.json().catch(() => undefined);
    const record = backend.requests().at(-1);
    if (!record) throw new Error("Nothing was recorded.");
    const withTrace = tracing(() => explainLogin(backend.database));
    const found = await explain(db, askedOf(record), { withTrace, ...options });
    const sentences = sentenceTexts({ sentences: found.sentences });
    return { status: response.status, body, sentences, text: sentenceTexts(found).join("\n") };
  };
}
