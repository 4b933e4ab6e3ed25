/** The stand-in for pgvector: its types, results, errors and rights (pgvector documentation). */
import { createClient } from "@supabase/supabase-js";
import type pg from "pg";
import { describe, expect, it } from "vitest";
import { createBackend } from "../../../src/testing/index.ts";
import { projectWith } from "../../background/project.ts";
import { clientForThisFile, forThisFile } from "../../for-this-file.ts";
import { quoted, VECTOR_SIGNATURES } from "./vector-grants.ts";

/** As `supabase db dump` dumps a project with vector in public. */
const DUMP = `
SET statement_timeout = 0;
SET check_function_bodies = false;
CREATE EXTENSION IF NOT EXISTS "vector" WITH SCHEMA "public";
COMMENT ON EXTENSION "vector" IS 'vector data type and ivfflat and hnsw access methods';
CREATE TABLE IF NOT EXISTS "public"."documents" (
  "id" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  "content" text,
  "embedding" "public"."vector"(3)
);
CREATE INDEX "documents_embedding_idx" ON "public"."documents" USING "hnsw" ("embedding" "public"."vector_cosine_ops") WITH ("m"='16', "ef_construction"='64');
CREATE INDEX "documents_ivf" ON "public"."documents" USING "ivfflat" ("embedding") WITH ("lists"='100');
${VECTOR_SIGNATURES.map((signature) =>
  ["postgres", "anon", "authenticated", "service_role"]
    .map((role) => `GRANT ALL ON FUNCTION ${quoted("public", signature)} TO "${role}";`)
    .join("\n"),
).join("\n")}
ALTER PUBLICATION "supabase_realtime" ADD TABLE ONLY "public"."documents";
`;

const MATCH = `
create function match_documents(query_embedding vector(3), match_threshold float, match_count int)
returns table (id bigint, content text, similarity float) language sql stable as $$
  select documents.id, documents.content, 1 - (documents.embedding <=> query_embedding) as similarity
  from documents
  where 1 - (documents.embedding <=> query_embedding) > match_threshold
  order by documents.embedding <=> query_embedding
  limit match_count
$$;
-- With other index options, quoted text and comments around.
create index on documents using hnsw ((embedding::halfvec(3)) halfvec_l2_ops) with (m = 8 /* few */, ef_construction = 32);
comment on index documents_ivf is 'using hnsw (x) with (m = 1)';
`;

const backend = await forThisFile(
  createBackend({
    projectFolder: projectWith("", { "20260101000000_dump.sql": DUMP, "20260102000000_match.sql": MATCH }),
  }),
);
const client = await clientForThisFile(backend.databaseUrl);

/** The only value of the only row, as text. */
const value = async (expression: string, values: unknown[] = []): Promise<unknown> =>
  (await client.query({ text: `select (${expression})::text`, values, rowMode: "array" })).rows[0]?.[0];
const failure = (expression: string) =>
  value(expression).then(
    (result) => `no error: ${result}`,
    (error: pg.DatabaseError) => `${error.code} ${error.message}${error.detail ? ` (${error.detail})` : ""}`,
  );

it("has nothing in its catalogue that pgvector's does not have, and everything that dumps grant on", async () => {
  const { rows } = await client.query<{ signature: string }>(
    `select p.oid::regprocedure::text as signature from pg_depend d join pg_proc p on p.oid = d.objid
     join pg_extension e on e.oid = d.refobjid
     where d.classid = 'pg_proc'::regclass and d.deptype = 'e' and e.extname = 'vector' and p.proname not like '\\_%'`,
  );
  const plain = (text: string) => text.replaceAll(", ", ",");
  expect(rows.map(({ signature }) => plain(signature)).sort()).toEqual(VECTOR_SIGNATURES.map(plain).sort());
});

describe("values", () => {
  it.each([
    ["'[1,2,3]'::vector", "[1,2,3]"],
    ["' [ 1.5, -2e3 ,.25 ] '::vector", "[1.5,-2000,0.25]"],
    ["'[0.1,1e-10,3.4e38]'::vector", "[0.1,1e-10,3.4e+38]"],
    ["'[1e-60]'::vector", "[0]"],
    ["'[0.1,65504,1e-7]'::halfvec", "[0.099975586,65504,1.1920929e-07]"],
    ["'{1:1.5,3:-2}/5'::sparsevec", "{1:1.5,3:-2}/5"],
    ["'{ 3 : 2 , 1 : 0 }/3'::sparsevec", "{3:2}/3"],
    ["'{}/2'::sparsevec", "{}/2"],
    ["array[1,2,3]::vector", "[1,2,3]"],
    ["array[1.5,2]::numeric[]::vector(2)", "[1.5,2]"],
    ["array[1,0,2]::real[]::sparsevec", "{1:1,3:2}/3"],
    ["'[1,2]'::vector::real[]", "{1,2}"],
    ["'[1.1,2]'::vector::halfvec", "[1.0996094,2]"],
    ["'[1,0,2]'::vector::sparsevec", "{1:1,3:2}/3"],
    ["'{2:5}/3'::sparsevec::vector", "[0,5,0]"],
    ["array['[1]'::vector, null]", "{[1],NULL}"],
    ['\'{"[1,2]","[3,4]"}\'::vector[]', '{"[1,2]","[3,4]"}'],
    ["null::vector", null],
    ["to_jsonb('[1,2]'::vector)", '"[1,2]"'],
    ["vector_send('[1,2]'::vector)", "\\x000200003f80000040000000"],
    ["halfvec_send('[1,-2,0.1]'::halfvec)", "\\x000300003c00c0002e66"],
    ["sparsevec_send('{2:1}/3'::sparsevec)", "\\x000000030000000100000000000000013f800000"],
    ["format_type(to_regtype('vector'), 384)", "vector(384)"],
  ])("%s is %s", async (expression, expected) => {
    expect(await value(expression)).toBe(expected);
  });

  it.each([
    ["'[1,2,3'::vector", '22P02 invalid input syntax for type vector: "[1,2,3"'],
    [
      "'1,2'::vector",
      '22P02 invalid input syntax for type vector: "1,2" (Vector contents must start with "[".)',
    ],
    [
      "'[1,2]3'::vector",
      '22P02 invalid input syntax for type vector: "[1,2]3" (Junk after closing right brace.)',
    ],
    ["'[1,,2]'::vector", '22P02 invalid input syntax for type vector: "[1,,2]"'],
    ["'[1,]'::vector", '22P02 invalid input syntax for type vector: "[1,]"'],
    ["'[a]'::halfvec", '22P02 invalid input syntax for type halfvec: "[a]"'],
    ["'[]'::vector", "22000 vector must have at least 1 dimension"],
    ["'[NaN,1]'::vector", "22000 NaN not allowed in vector"],
    ["'[Infinity]'::vector", "22000 infinite value not allowed in vector"],
    ["'[4e38]'::vector", '22003 "4e38" is out of range for type vector'],
    ["'[65520]'::halfvec", '22003 "65520" is out of range for type halfvec'],
    ["'[1,2]'::vector(3)", "22000 expected 3 dimensions, not 2"],
    ["null::vector(0)", "22023 dimensions for type vector must be at least 1"],
    ["null::vector(16001)", "22023 dimensions for type vector cannot exceed 16000"],
    ["array_fill(0, array[16001])::vector", "54000 vector cannot have more than 16000 dimensions"],
    ["array[1,null]::vector", "22004 array must not contain nulls"],
    ["array[[1],[2]]::vector", "22000 array must be 1-D"],
    ["'[1,2,3]'::vector <-> '[1,2]'", "22000 different vector dimensions 3 and 2"],
    ["'[1]'::halfvec + '[1,2]'", "22000 different halfvec dimensions 1 and 2"],
    ["'[3e38]'::vector + '[3e38]'", "22003 value out of range: overflow"],
    ["'{4:1}/3'::sparsevec", "22000 sparsevec index out of bounds"],
    ["'{1:1,1:2}/3'::sparsevec", "22000 sparsevec indices must not contain duplicates"],
    ["'{1:1}'::sparsevec", '22P02 invalid input syntax for type sparsevec: "{1:1}"'],
    ["B'10' <~> B'1'", "22000 different bit lengths 2 and 1"],
  ])("%s fails", async (expression, expected) => {
    expect(await failure(expression)).toBe(expected);
  });
});

describe("arithmetic", () => {
  it.each([
    ["'[1,2,3]'::vector <-> '[4,6,3]'", "5"],
    ["'[1,2,3]'::vector <#> '[4,5,6]'", "-32"],
    ["'[1,0]'::vector <=> '[0,2]'", "1"],
    ["'[1,2]'::vector <=> '[2,4]'", "0"],
    ["'[1,1]'::vector <=> '[-1,-1]'", "2"],
    ["'[0,0]'::vector <=> '[1,1]'", "NaN"],
    ["'[1,2]'::vector <+> '[4,6]'", "7"],
    ["'[1e15,1]'::vector <#> '[1e-15,1]'", "-2"],
    ["'[1,2]'::vector + '[3,4]'", "[4,6]"],
    ["'[1,2]'::halfvec - '[3,4]'", "[-2,-2]"],
    ["'[1,2]'::vector * '[3,4]'", "[3,8]"],
    ["'[1,2]'::vector || '[3]'", "[1,2,3]"],
    ["l2_normalize('[3,4]'::vector)", "[0.6,0.8]"],
    ["vector_norm('[3,4]')", "5"],
    ["l2_norm('{1:3,2:4}/9'::sparsevec)", "5"],
    ["subvector('[1,2,3,4]'::vector, 2, 2)", "[2,3]"],
    ["binary_quantize('[1,-1,0,2]'::vector)", "1001"],
    ["B'1010' <~> B'1001'", "2"],
    ["B'1110' <%> B'1000'", "0.666666666666667"],
    ["'{1:1,3:2}/3'::sparsevec <-> '{1:1,2:2}/3'", "2.82842712474619"],
    ["'{1:1,3:2}/3'::sparsevec <#> '{3:4}/3'", "-8"],
    ["'{1:1}/2'::sparsevec <=> '{2:1}/2'", "1"],
    ["'[1,2]'::vector < '[1,3]'", "true"],
    ["'[1,2]'::vector = '[1,2]'", "true"],
    ["'[1]'::vector < '[1,-1]'", "true"],
    ["(select avg(v) from unnest(array['[1,2]','[3,5]']::vector[]) v)", "[2,3.5]"],
    ["(select sum(v) from unnest(array['[1,2]','[3,5]']::vector[]) v)", "[4,7]"],
    ["(select avg(v) from unnest('{}'::vector[]) v)", null],
  ])("%s is %s", async (expression, expected) => {
    expect(await value(expression)).toBe(expected);
  });

  it("measures as sums over the elements do, to single precision", async () => {
    const { rows } = await client.query<{ worst: number }>(
      `with pair as (
         select i, array_agg((sin(i * 7.0 + place * 13.1))::real order by place) a,
           array_agg((cos(i * 3.0 + place * 5.7) / (1 + i))::real order by place) b
         from generate_series(1, 40) i, generate_series(1, 384) place group by i
       ), measured as (
         select i, a::vector <#> b::vector as dot, a::vector <=> b::vector as cosine, a::vector <-> b::vector as l2 from pair
       ), exact as (
         select i, sum(x::float8 * y) as dot, sqrt(sum(x::float8 * x) * sum(y::float8 * y)) as norms,
           sqrt(sum((x::float8 - y) ^ 2)) as l2
         from pair, unnest(a, b) as element(x, y) group by i
       )
       select max(greatest(abs(m.dot + e.dot) / e.norms, abs(m.cosine - (1 - e.dot / e.norms)), abs(m.l2 - e.l2) / e.l2)) as worst
       from measured m join exact e using (i)`,
    );
    expect(rows[0]?.worst).toBeLessThan(1e-6);
  });
});

it("goes out and in by COPY, text and binary, and as a parameter", async () => {
  await client.query(
    "create temp table if not exists item (id int, embedding vector(3), half halfvec(3), sparse sparsevec(3))",
  );
  const { rows } = await client.query(
    "insert into item values (1, $1::vector, $1::vector, $2), (2, null, null, null) returning embedding, half, sparse",
    ["[1,2,3]", "{1:2}/3"],
  );
  expect(rows[0]).toEqual({ embedding: "[1,2,3]", half: "[1,2,3]", sparse: "{1:2}/3" });
  await expect(client.query("insert into item values (3, $1)", ["[1,2]"])).rejects.toThrow(
    "expected 3 dimensions, not 2",
  );
  // A Buffer is sent in binary format, as by drivers that support the type.
  const binary = ["000200003f80000040000000", "000200003c002e66", "000000030000000100000000000000013f800000"];
  const sent = await client.query(
    `select encode(vector_send($1::vector), 'hex') as "0", encode(halfvec_send($2::halfvec), 'hex') as "1",
       encode(sparsevec_send($3::sparsevec), 'hex') as "2"`,
    binary.map((hex) => Buffer.from(hex, "hex")),
  );
  expect(sent.rows).toEqual([{ ...binary }]);
  await expect(client.query("select $1::vector", [Buffer.from("0002000000000000", "hex")])).rejects.toThrow(
    "insufficient data left in message",
  );
});

it("is found by supabase-js: rows as text, a match function by text or by array", async () => {
  const supabase = createClient(backend.url, backend.secretKey, { auth: { persistSession: false } });
  const inserted = await supabase
    .from("documents")
    .insert([
      { content: "north", embedding: [0, 1, 0] },
      { content: "east", embedding: "[1,0,0]" },
      { content: "north-east", embedding: [0.7, 0.7, 0] },
      { content: "unknown", embedding: null },
    ])
    .select("content, embedding");
  expect(inserted.error).toBeNull();
  expect(inserted.data?.[2]).toEqual({ content: "north-east", embedding: "[0.7,0.7,0]" });
  for (const query_embedding of [[0.1, 1, 0], "[0.1,1,0]"]) {
    const { data, error } = await supabase.rpc("match_documents", {
      query_embedding,
      match_threshold: 0.5,
      match_count: 2,
    });
    expect(error).toBeNull();
    expect((data as { content: string }[]).map(({ content }) => content)).toEqual(["north", "north-east"]);
  }
  const wrong = await supabase.from("documents").insert({ embedding: [1, 2] });
  expect(wrong.status).toBe(400);
  expect(wrong.error?.message).toBe("expected 3 dimensions, not 2");
});

it("tells realtime of a vector: the write-ahead log is read where no snapshot is", async () => {
  const supabase = createClient(backend.url, backend.secretKey, { auth: { persistSession: false } });
  const heard: unknown[] = [];
  await new Promise<void>((resolve, reject) => {
    const channel = supabase
      .channel("vectors")
      .on("postgres_changes", { event: "INSERT", schema: "public", table: "documents" }, ({ new: row }) => {
        heard.push((row as { embedding: unknown }).embedding);
        resolve();
      })
      .on("system", {}, ({ status }: { status: string }) => {
        if (status !== "ok") return;
        supabase
          .from("documents")
          .insert({ content: "heard", embedding: [4, 5, 6] })
          .then(({ error }) => {
            if (error) reject(error);
          });
      });
    channel.subscribe();
  });
  await supabase.removeAllChannels();
  expect(heard).toEqual(["[4,5,6]"]);
});

it("makes indexes that no plan uses, and takes their settings", async () => {
  await client.query("begin");
  await client.query("set local hnsw.ef_search = 40");
  await client.query("set local ivfflat.probes = 10");
  await client.query("set local enable_seqscan = off");
  const { rows } = await client.query<{ "QUERY PLAN": string }>(
    "explain select id from documents order by embedding <=> '[1,2,3]' limit 1",
  );
  expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).toContain("Seq Scan on documents");
  await client.query("create index on documents using hnsw (embedding vector_l2_ops)");
  await client.query("create index on documents using ivfflat (embedding vector_ip_ops)");
  await client.query("rollback");
  expect(await value("(select count(*) from pg_indexes where indexdef ~ 'USING (hnsw|ivfflat)')")).toBe("3");
});

it("is moved to another schema by a migration, and works there", async () => {
  const moved = await createBackend({
    projectFolder: projectWith("", {
      "20260101000000_public.sql":
        "create extension vector; create table item (embedding vector(2)); insert into item values ('[1,2]');",
      "20260102000000_move.sql": `-- as the advisor says
        alter extension "vector" set schema extensions /* no longer public */;
        create index on item using hnsw (embedding extensions.vector_l2_ops);`,
    }),
  });
  try {
    expect(
      await moved.sql(
        "select embedding::text, embedding <-> '[1,3]' as distance, embedding || '[3]' as longer from item",
      ),
    ).toEqual([{ embedding: "[1,2]", distance: 1, longer: "[1,2,3]" }]);
    expect(
      await moved.sql(
        "select extnamespace::regnamespace::text as schema from pg_extension where extname = 'vector'",
      ),
    ).toEqual([{ schema: "extensions" }]);
    await moved.sql("drop extension vector cascade; create extension vector with schema extensions");
    expect(await moved.sql("select '[1,2]'::extensions.vector <-> '[1,3]' as distance")).toEqual([
      { distance: 1 },
    ]);
    expect(
      await moved.sql("select column_name from information_schema.columns where table_name = 'item'"),
    ).toEqual([]);
  } finally {
    await moved.drop();
  }
});

it("lets nobody but the superuser call what reads bytes", async () => {
  const { rows } = await client.query<{ name: string }>(
    `select p.oid::regprocedure::text as name from pg_proc p, unnest(array['postgres', 'service_role', 'anon']) role
     where ((p.proname like 'homebase%' and p.proname !~ '^homebase_(folder|move_extension|create_wrapper|service_roles|skipped_creation|refuse_keys|tle_)') or p.proname like '\\_vector\\_text%')
       and has_function_privilege(role, p.oid, 'execute') and not (role = 'postgres' and p.proname like '\\_vector\\_text%')`,
  );
  expect(rows).toEqual([]);
  // Its text format is read and written unchanged.
  expect((await client.query("select 'abc'::_vector_text as text")).rows).toEqual([{ text: "abc" }]);
  expect(
    (await client.query("select 'abc'::_vector_text::text, _vector_text('')::text as none")).rows,
  ).toEqual([{ text: "abc", none: "" }]);
  await expect(client.query("select pg_catalog.homebase_distance(5, 7)")).rejects.toThrow(
    "permission denied",
  );
});
