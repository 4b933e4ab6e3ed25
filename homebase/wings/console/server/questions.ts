/** Owns the questions of the page: the schemas that they are checked by, and the types that follow from them. */
import { z } from "zod";

const MOST_FILTER = 500;
/** Of a bucket's or a file's name; Storage allows 1,024 bytes. */
const MOST_NAME = 2_000;
/** Of a signed link; Storage itself has no bound. */
const YEAR_SECONDS = 366 * 86_400;
const MOST_CHANGES = 500;
const NONE = "These are no changes.";
/** One file name of every system: no folder, no leading dot. */
export const SNIPPET = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_ .()-]{0,78}[\p{L}\p{N}_()-])?$/u;
const METHODS = ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE"] as const;
/** The services of an app: `/pg/` and `/mcp` change the project itself. */
export const OF_AN_APP = /^\/(?:(?:rest|auth|storage|functions)\/v1|realtime\/v1\/api\/broadcast)\//;

/** `name` is for people: an email, a phone number or the id. */
const lens = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("postgres") }),
  z.strictObject({ kind: z.literal("role"), role: z.string() }),
  z.strictObject({ kind: z.literal("user"), id: z.string(), name: z.string() }),
]);
/** As whom rows are looked at. */
export type Lens = z.infer<typeof lens>;

const table = z.strictObject({ schema: z.string(), name: z.string() });
export type TableName = z.infer<typeof table>;

/** `where`: `title`, `status=open`, `id>4`, `note=null`; several are joined by and. `after`: `next` of the page before. */
export const rowsAsk = z.strictObject({
  as: lens,
  table,
  where: z.string().max(MOST_FILTER),
  order: z.strictObject({ column: z.string(), descending: z.boolean() }).optional(),
  after: z.array(z.string().nullable()).optional(),
});
export type RowsAsk = z.infer<typeof rowsAsk>;

export const exportAsk = rowsAsk.omit({ after: true });
const key = z.array(z.string()).min(1, NONE);
export const rowAsk = z.strictObject({ table, key });
export const whyAsk = rowAsk.extend({ as: lens });

const values = z.record(z.string(), z.string().nullable());
export type Values = z.infer<typeof values>;

/** A column that is not named has its default, or stays. `was`: what the changed columns had when they were shown. */
const change = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("update"), table, key, values, was: values }),
  z.strictObject({ kind: z.literal("insert"), table, values }),
  z.strictObject({ kind: z.literal("delete"), table, key }),
]);
/** A staged change. */
export type Change = z.infer<typeof change>;

/** `save`: whether the statements run: as one transaction, which is undone unless each touches one row. */
export const writeAsk = z.strictObject({
  as: lens,
  changes: z.array(change, NONE).min(1, NONE).max(MOST_CHANGES),
  save: z.boolean(),
});

export const usersAsk = z.strictObject({ text: z.string().max(MOST_FILTER) });
const id = z.uuid();
const filledIn = z.string().min(1, "Fill in all fields.");
export const userActAsk = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("make"), email: filledIn, password: filledIn }),
  z.strictObject({ do: z.enum(["ban", "unban", "sign out", "delete", "open"]), id }),
  z.strictObject({ do: z.literal("set password"), id, password: filledIn }),
]);
export type UserAct = z.infer<typeof userActAsk>;

const name = z.string().max(MOST_NAME);
export const bucketsAsk = z.strictObject({ as: lens });
/** `limit`: as Storage takes it, "5MB"; "" for the project's. `types`: none for all. */
export const bucketAsk = z.strictObject({ name, public: z.boolean(), limit: name, types: z.array(name) });
export type NewBucket = z.infer<typeof bucketAsk>;

/** `prefix`: the folder, with a slash at its end, and the beginning of a name in it. `after`: `next` of the page before. */
export const filesAsk = z.strictObject({
  ...{ as: lens, bucket: name.min(1), prefix: name },
  after: z
    .string()
    .max(2 * MOST_NAME)
    .optional(),
});
export type FilesAsk = z.infer<typeof filesAsk>;

export const fileAsk = z.strictObject({ as: lens, bucket: name.min(1), path: name.min(1) });
/** A file for a lens; for Storage postgres is the service. */
export type FilePlace = z.infer<typeof fileAsk>;

export const bytesAsk = fileAsk.extend({ most: z.int().positive().optional() });
/** Of `PUT /upload`, whose body is the file. `replace`: whether a file of this name is replaced. */
export const uploadAsk = fileAsk.extend({ type: name, replace: z.boolean() });
export type UploadAsk = z.infer<typeof uploadAsk>;

export const fileActAsk = z.discriminatedUnion("do", [
  fileAsk.extend({ do: z.literal("sign"), seconds: z.int().positive().max(YEAR_SECONDS) }),
  fileAsk.extend({ do: z.literal("delete") }),
]);
export type FileAct = z.infer<typeof fileActAsk>;

/** `explain`: plans instead of results; nothing stays of what runs for them. */
export const sqlAsk = z.strictObject({ as: lens, text: z.string(), explain: z.boolean() });
export type SqlAsk = z.infer<typeof sqlAsk>;

const snippet = z
  .string()
  .regex(SNIPPET, "A name has letters, digits, spaces, and . _ - ( ), 80 at the most.");
export const snippetAsk = z.strictObject({ name: snippet });
/** `version`: of the file as the page knows it, which no other may replace; absent for a new file. */
export const snippetActAsk = z.discriminatedUnion("do", [
  z.strictObject({
    ...{ do: z.literal("save"), name: snippet, text: z.string() },
    version: z.string().optional(),
  }),
  z.strictObject({ do: z.literal("rename"), name: snippet, to: snippet }),
  z.strictObject({ do: z.literal("delete"), name: snippet, version: z.string() }),
]);
export type SnippetAct = z.infer<typeof snippetActAsk>;

export const snapshotActAsk = z.strictObject({
  do: z.enum(["save", "restore", "delete"]),
  name: z.string(),
});
export type SnapshotAct = z.infer<typeof snapshotActAsk>;

const who = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("same") }),
  z.strictObject({ kind: z.literal("user"), email: z.string().min(1, "Choose a user.") }),
  z.strictObject({ kind: z.literal("nobody") }),
  z.strictObject({ kind: z.literal("secret") }),
]);
/** As whom a request is sent: with the claims that it had, as a user, without a token, or with the secret key. */
export type Who = z.infer<typeof who>;

export const sendAsk = z.strictObject({
  id: z.string(),
  method: z.enum(METHODS),
  path: z
    .string()
    .regex(
      OF_AN_APP,
      "The path begins with /rest/v1/, /auth/v1/, /storage/v1/, /functions/v1/ or /realtime/v1/api/broadcast/.",
    ),
  headers: z.record(z.string(), z.string()),
  body: z.string().optional(),
  as: who,
});
