/**
 * Owns the buckets of config.toml on a hosted project: created or updated over the storage API, as the
 * Supabase CLI does (docs/compat/platform.md 5.6). The files of `objects_path` are for development and are
 * never uploaded.
 */
import { isRecord } from "../../../src/core/record.ts";
import { answerText } from "../../../src/http/bounded-answer.ts";
import { LARGEST_ANSWER, strictFetch } from "../target/strict-fetch.ts";
import type { Step, StepContext } from "./step.ts";

/** Other buckets are not changed. */
export async function bucketStep(context: StepContext): Promise<Step> {
  const wanted = Object.entries(context.config.storage.buckets);
  const answer = wanted.length === 0 ? [] : await storage(context, "GET", "/bucket");
  const present = new Map(
    (Array.isArray(answer) ? answer : []).filter(isRecord).map((bucket) => [bucket.id, bucket]),
  );
  const due = wanted.flatMap(([name, bucket]) => {
    const body = {
      public: bucket.public ?? false,
      file_size_limit: bucket.file_size_limit ?? null,
      allowed_mime_types: bucket.allowed_mime_types ?? null,
    };
    const now = present.get(name);
    if (!now)
      return [{ name, body, words: `make the bucket ${name} (${body.public ? "public" : "private"})` }];
    const differing = Object.entries(body).filter(
      ([key, value]) => JSON.stringify(now[key] ?? null) !== JSON.stringify(value),
    );
    if (differing.length === 0) return [];
    const what = differing.map(
      ([key, value]) => `${key} ${JSON.stringify(now[key] ?? null)} becomes ${JSON.stringify(value)}`,
    );
    return [{ name, body, words: `change the bucket ${name}: ${what.join(", ")}` }];
  });
  const opened = due.filter(({ name, body }) => body.public && present.get(name)?.public === false);
  return {
    name: "buckets",
    changes: due.map(({ words }) => words),
    warnings: opened.map(({ name }) => `The bucket ${name} becomes public: everybody can read its files.`),
    undo: "Change the bucket in the configuration and deploy again. A bucket that was made is empty and can be deleted in the dashboard.",
    apply: async (done) => {
      for (const { name, body, words } of due) {
        if (present.has(name)) await storage(context, "PUT", `/bucket/${encodeURIComponent(name)}`, body);
        else await storage(context, "POST", "/bucket", { id: name, name, ...body });
        done(words);
      }
    },
  };
}

async function storage(
  { projectUrl, secretKey }: StepContext,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const answer = await strictFetch(`${projectUrl}/storage/v1${path}`, {
    method,
    headers: {
      apikey: secretKey,
      // A legacy key is also a valid token; the new kind is not.
      ...(secretKey.startsWith("sb_") ? {} : { authorization: `Bearer ${secretKey}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answerText(answer, LARGEST_ANSWER);
  if (!answer.ok)
    throw new Error(`${method} /storage/v1${path} answered ${answer.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
