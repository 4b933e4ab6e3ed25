/** The sentences of explanations over a corpus of policies: how many of them a person in a hurry would not understand. */
import { beforeAll, expect, test } from "vitest";
import { type Asked, explain, sentenceTexts, tracing } from "../../src/explain/index.ts";
import { explainLogin } from "../../src/postgres/explain-login.ts";
import { createBackend } from "../../src/testing/index.ts";
import { clientForThisFile, forThisFile } from "../for-this-file.ts";
import { ANA, BASE, BEN, policySets } from "./corpus/corpus.ts";
import { unclear } from "./unclear.ts";

const backend = await forThisFile(createBackend({ bare: true }));
const db = await clientForThisFile(backend.databaseUrl);
const withTrace = tracing(() => explainLogin(backend.database));
beforeAll(async () => {
  await backend.sql(BASE);
});

const ben = { role: "authenticated", claims: { sub: BEN, role: "authenticated", email: "ben@example.com" } };
const anon = { role: "anon", claims: { role: "anon" } };
const path = "/rest/v1/things";
const row = { org: 2, author: ANA, status: "published", locked: true };
const body = JSON.stringify({ id: 9, ...row });
const REQUESTS: Asked[] = [
  { ...ben, method: "GET", path },
  { ...anon, method: "GET", path },
  { ...ben, method: "POST", path, body },
  {
    ...ben,
    method: "POST",
    path,
    body: JSON.stringify({ id: 1, ...row }),
    headers: { prefer: "resolution=merge-duplicates" },
  },
  {
    ...ben,
    method: "PATCH",
    path: `${path}?id=lt.9`,
    body: JSON.stringify({ status: "shared", author: ANA }),
  },
  { ...ben, method: "DELETE", path: `${path}?id=lt.9` },
];

test("of the sentences about a corpus of policies at most 2 % are unclear", async () => {
  let count = 0;
  const found: string[] = [];
  for (const [at, { name, sql }] of policySets().entries()) {
    await backend.sql(sql);
    // Of each set the three, and of the others one in turn.
    const requests = REQUESTS.filter((_, of) => of < 3 || of === 3 + (at % 3));
    for (const asked of requests) {
      const sentences = sentenceTexts(await explain(db, asked, { withTrace }));
      count += sentences.length;
      found.push(...unclear(sentences).map((one) => `${name}, ${asked.method} as ${asked.role}: ${one}`));
    }
    await backend.sql(`do $$ declare p text; begin for p in select policyname from pg_policies where tablename = 'things' loop
      execute format('drop policy %I on public.things', p); end loop; end $$`);
  }
  expect(count).toBeGreaterThan(500);
  expect(found.length / count, `${found.length} of ${count}:\n${found.join("\n")}`).toBeLessThanOrEqual(0.02);
}, 240_000);
