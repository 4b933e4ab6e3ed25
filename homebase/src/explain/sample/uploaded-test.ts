/** Owns what the test of an upload says: whether Storage takes the object. */
import type pg from "pg";
import { percentDecoded } from "../../core/percent.ts";
import type { Asked } from "../asked-tables.ts";
import { ExplainError } from "../database/explanation-transaction.ts";
import { explain } from "../explain-request.ts";
import type { SubjectOptions, TestSubject } from "./subject.ts";

/** Without the other routes below `object`, which are no buckets. */
const UPLOAD =
  /^\/storage\/v1\/object\/(?!(?:list|list-v2|sign|info|upload|public|authenticated)\/)([^/?]+)\/([^?]+)/;

/** The bucket and the name of a request that uploads, as its path has them; undefined of any other request. */
export function uploadOf(method: string, path: string): [bucket: string, name: string] | undefined {
  const [, bucket, name] = (method.toUpperCase() === "POST" && UPLOAD.exec(path)) || [];
  return bucket === undefined || name === undefined ? undefined : [bucket, name];
}

export async function uploadedOf(
  db: pg.ClientBase,
  asked: Asked,
  { api, collect }: SubjectOptions,
): Promise<TestSubject> {
  const upload = uploadOf(asked.method, asked.path);
  if (!upload || asked.headers?.["x-upsert"] === "true")
    throw new ExplainError(
      "Of requests to Storage, a test is made of uploads of new objects only: POST /storage/v1/object/BUCKET/NAME.",
    );
  const [bucket, name] = upload;
  const explanation = await explain(db, asked, { api, collect });
  const absent = explanation.sentences.find(({ kind }) => kind === "absent");
  if (absent) throw new ExplainError(absent.text);
  const uploaded = { bucket: percentDecoded(bucket), name: percentDecoded(name) };
  const refused = explanation.sentences.some(({ kind }) => kind === "refused");
  const { sub } = asked.claims;
  return {
    explanation,
    asserted: {
      title: `${asked.role}'s upload into ${uploaded.bucket} is ${refused ? "refused" : "allowed"}`,
      outcome: refused ? "refused" : "allowed",
      message: refused ? 'new row violates row-level security policy for table "objects"' : undefined,
      uploaded,
      table: { schema: "storage", name: "objects" },
      command: "insert",
      key: { columns: [], values: [] },
      columns: [],
      rows: [
        {
          bucket_id: uploaded.bucket,
          name: uploaded.name,
          ...(typeof sub === "string" ? { owner: sub, owner_id: sub } : {}),
        },
      ],
    },
    needs: [{ table: { schema: "storage", name: "buckets" }, columns: ["id"], values: [uploaded.bucket] }],
  };
}
