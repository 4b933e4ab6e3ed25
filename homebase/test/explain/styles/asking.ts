/** Owns asking a project twice: by a request, and for its explanation. */
import pg from "pg";
import {
  type Asked,
  type ExplainRequestOptions,
  explain,
  explanationText,
  sentenceTexts,
  tracing,
} from "../../../src/explain/index.ts";
import { explainLogin } from "../../../src/postgres/explain-login.ts";
import { createBackend, type TestBackend } from "../../../src/testing/index.ts";

export const ANA = "00000000-0000-4000-8000-0000000000a1";
export const BEN = "00000000-0000-4000-8000-0000000000b2";
export const CAT = "00000000-0000-4000-8000-0000000000c3";

export interface Question extends ExplainRequestOptions {
  method?: string;
  path: string;
  /** Claims besides the role; without `sub` and others it is anon. */
  as?: Record<string, unknown>;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Answers {
  status: number;
  rows: unknown[];
  /** The message of a refusal. */
  message: string;
  sentences: string[];
  /** The sentences as one text. */
  text: string;
  /** The whole explanation as the command prints it. */
  tree: string;
}

export class Style {
  readonly backend: TestBackend;
  readonly db: pg.Client;

  private constructor(backend: TestBackend, db: pg.Client) {
    this.backend = backend;
    this.db = db;
  }

  static async of(sql: string): Promise<Style> {
    const backend = await createBackend({ bare: true });
    const people = [ANA, BEN, CAT].map((id, at) => `('${id}', '${["ana", "ben", "cat"][at]}@example.com')`);
    await backend.sql(`insert into auth.users (id, email) values ${people.join(", ")}; ${sql}`);
    const db = new pg.Client(backend.databaseUrl);
    await db.connect();
    return new Style(backend, db);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.db.end();
    await this.backend.drop();
  }

  /** The explanation, and then the request itself, which may write. */
  async ask({ method = "GET", path, as, body, headers = {}, ...options }: Question): Promise<Answers> {
    const role = as ? "authenticated" : "anon";
    const claims = { ...as, role };
    const asked: Asked = { method, path: `/rest/v1/${path}`, role, claims, headers };
    if (body !== undefined) asked.body = JSON.stringify(body);
    const withTrace = tracing(() => explainLogin(this.backend.database));
    const explanation = await explain(this.db, asked, { withTrace, ...options });
    const sentences = sentenceTexts(explanation);
    const response = await this.#request(asked);
    const sent: unknown = await response.json().catch(() => undefined);
    return {
      status: response.status,
      rows: Array.isArray(sent) ? sent : [],
      message: String((sent as { message?: string } | undefined)?.message ?? ""),
      sentences,
      text: sentences.join("\n"),
      tree: explanationText(explanation),
    };
  }

  async #request({ method, path, role, claims, headers, body }: Asked): Promise<Response> {
    const { backend } = this;
    const now = Math.floor(backend.clock.now() / 1000);
    const all = { aud: "authenticated", ...claims, role, iat: now, exp: now + 3600 };
    const token = role === "anon" ? backend.anonKey : await backend.backend.keys.sign(all);
    return fetch(backend.url + path, {
      method,
      headers: {
        apikey: backend.publishableKey,
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
  }
}
