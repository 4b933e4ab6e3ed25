/**
 * Owns the explanation of a request to Storage: the policies of `storage.objects` and `storage.buckets` that it has to
 * meet (docs/compat/storage.md 1 and 2). The object's bytes, and the limits of its bucket, are not looked at.
 */

import { percentDecoded } from "../core/percent.ts";
import { isRecord } from "../core/record.ts";
import { isUuid } from "../core/uuid.ts";
import { Router } from "../http/router.ts";
import type { Asked } from "./asked-tables.ts";
import { readTable } from "./database/before-policies.ts";
import { ExplainError, type Session } from "./database/explanation-transaction.ts";
import type { Where } from "./judge.ts";
import type { AskedRule, Rules } from "./rules.ts";
import type { Label } from "./verdicts.ts";
import { listed } from "./words.ts";
import { changedRows, newRows } from "./writes.ts";

const OBJECTS = { schema: "storage", name: "objects" };
const BUCKETS = { schema: "storage", name: "buckets" };
const hidden = (text: string): Label => ({ kind: "hidden", text });
const NOT_FOUND = hidden("Not found");
const NOT_LISTED = hidden("Not listed");
const REFUSED: Label = { kind: "refused", text: 'Refused with "new row violates row-level security policy"' };

/** The address of an object, and none of an action. */
const OWN_ADDRESS = /^\/object\/(?!(?:list|list-v2|sign|upload)\/)[^/]+\/./;

/** A request whose route is known. */
interface Request {
  rules: Rules;
  bucket: string;
  key: string;
  body: Record<string, unknown>;
}

/** Explains a request to Storage. @throws ExplainError for a route that no policy decides, or without its body. */
export async function explainStorage(rules: Rules, asked: Asked): Promise<void> {
  const asks = asked.method.toUpperCase();
  const path = (asked.path.split("?")[0] ?? "").slice("/storage/v1".length);
  const upsert = asks === "POST" && asked.headers?.["x-upsert"] === "true" && OWN_ADDRESS.test(path);
  const method = upsert ? "PUT" : asks;
  const found = ROUTES.match(method, path);
  if (!found) {
    throw new ExplainError(
      `No request ${asked.method} ${asked.path} to Storage is explained: those to /object and /bucket are. An upload in parts or by S3 has the policies of PUT /storage/v1/object/BUCKET/NAME.`,
    );
  }
  const { operation, explain } = found.handler;
  Object.assign(rules.caller, {
    searchPath: "storage, public, extensions",
    settings: { "storage.operation": operation },
  });
  const { bucket, key } = found.values;
  await explain({
    rules,
    bucket: percentDecoded(bucket),
    key: percentDecoded(key),
    body: bodyOf(asked.body),
  });
}

function bodyOf(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // It is refused below.
  }
  throw new ExplainError("The body is not a JSON object.");
}

async function readObject({ rules, bucket, key }: Request): Promise<void> {
  const open = await isPublic(rules.session, bucket);
  if (open === undefined) return rules.say("absent", noBucket(bucket));
  if (!open) return read(rules, bucket, [key], NOT_FOUND);
  const { candidates } = await rules.judge(selectRule(bucket, [key], NOT_FOUND));
  if (candidates === 0) rules.say("absent", noObject(bucket, [key]));
  else rules.say("allowed", `Bucket ${bucket} is public: reading ${key} asks no policy.`);
}

async function readPublic(request: Request): Promise<void> {
  const { rules, bucket } = request;
  if ((await isPublic(rules.session, bucket)) !== false) return readObject(request);
  rules.say(
    "refused",
    `Not found: bucket ${bucket} is not public, so this address answers "Bucket not found" for everything in it. Sign an address (POST /storage/v1/object/sign/${bucket}/…), or read it with a token.`,
  );
}

async function signedByToken({ rules }: Request): Promise<void> {
  rules.say(
    "note",
    "The token in the address decides, and no policy is asked: policies were asked when it was signed.",
  );
}

async function read(rules: Rules, bucket: string, keys: string[], label: Label): Promise<void> {
  const { candidates, sentences } = await rules.apply(selectRule(bucket, keys, label));
  if (candidates === 0 && sentences.length === 0) rules.say("absent", noObject(bucket, keys));
  else if (sentences.length === 0) rules.say("allowed", allowed(rules, "read", bucket, keys));
}

function selectRule(bucket: string, keys: readonly string[], label: Label): AskedRule {
  const about = keys.length === 1 ? "the object" : "the objects";
  return {
    table: OBJECTS,
    about,
    command: "select",
    selection: { where: objectsNamed(bucket, keys) },
    label,
  };
}

async function list({ rules, bucket, body }: Request): Promise<void> {
  const given = typeof body.prefix === "string" ? body.prefix : "";
  const where: Where = {
    alias: "objects",
    text: "objects.bucket_id = $1 and pg_catalog.starts_with(objects.name, $2)",
    values: [bucket, given],
    named: ["name"],
  };
  const rule = {
    table: OBJECTS,
    about: "the objects",
    command: "select",
    selection: { where },
    label: NOT_LISTED,
  } as const;
  const { candidates, passed, sentences } = await rules.apply(rule);
  const which = `bucket ${bucket}${given === "" ? "" : ` below ${given}`}`;
  if (candidates === 0 && sentences.length === 0)
    rules.say("absent", `There is no object in ${which}, for anybody: nothing is hidden.`);
  else if (passed > 0)
    rules.say(
      "allowed",
      `Listed: row security lets ${rules.caller.role} see ${passed} of ${candidates} in ${which}.`,
    );
}

const upload =
  (replaces: boolean) =>
  async ({ rules, bucket, key }: Request): Promise<void> => {
    if ((await isPublic(rules.session, bucket)) === undefined) return rules.say("absent", noBucket(bucket));
    await write(rules, bucket, key, replaces);
    if (!replaces)
      rules.say("note", "With x-upsert: true it has to meet policies of SELECT and UPDATE as well.", {
        further: { option: "--upsert", does: "these are judged too." },
      });
  };

/** The rules of writing an object. One that replaces is an upsert that returns its row. */
async function write(rules: Rules, bucket: string, key: string, replaces: boolean): Promise<void> {
  const told = rules.sentences.length;
  const row = await newObject(rules, bucket, key);
  const about = "the new object";
  const written = { table: OBJECTS, about, selection: { rows: [row] }, label: REFUSED } as const;
  await rules.apply({ ...written, command: "insert" });
  if (replaces) {
    await rules.apply({ ...written, command: "select" });
    const where = objectsNamed(bucket, [key]);
    const old = {
      table: OBJECTS,
      about: "the object that it replaces",
      selection: { where },
      label: REFUSED,
    };
    const { candidates } = await rules.judge({ ...old, command: "select" });
    if (candidates > 0) {
      await rules.apply({ ...old, command: "select" });
      await rules.apply({ ...old, command: "update" });
      await rules.apply({ ...written, command: "update", kind: "check" });
    }
  }
  if (rules.sentences.length === told)
    rules.say("allowed", allowed(rules, replaces ? "write" : "upload", bucket, [key]));
}

/** The row as Storage tries it, before it reads the bytes: it knows neither their length nor the metadata. */
async function newObject(rules: Rules, bucket: string, key: string): Promise<string> {
  const { sub } = rules.caller.claims;
  const owner = typeof sub === "string" && isUuid(sub) ? sub : null;
  const body = JSON.stringify({
    bucket_id: bucket,
    name: key,
    owner,
    owner_id: typeof sub === "string" ? sub : null,
    metadata: { mimetype: "application/octet-stream", contentLength: 0 },
    version: "1",
    path_tokens: key.split("/"),
  });
  const [row] = await newRows(rules, await readTable(rules.session, OBJECTS), body);
  if (row === undefined) throw new ExplainError("The row of the new object could not be made in time.");
  return row;
}

async function remove(rules: Rules, bucket: string, keys: readonly string[], label: Label): Promise<void> {
  const told = rules.sentences.length;
  const { candidates } = await rules.apply(selectRule(bucket, keys, label));
  await rules.apply({ ...selectRule(bucket, keys, label), command: "delete" });
  if (rules.sentences.length > told) return;
  if (candidates === 0) rules.say("absent", noObject(bucket, keys));
  else rules.say("allowed", allowed(rules, "delete", bucket, keys));
}

async function move({ rules, body }: Request): Promise<void> {
  const { bucket, source, target, targetBucket } = endpointsOf(body);
  const told = rules.sentences.length;
  const { candidates, table } = await rules.apply(selectRule(bucket, [source], NOT_FOUND));
  if (candidates === 0) return rules.say("absent", noObject(bucket, [source]));
  await rules.apply({ ...selectRule(bucket, [source], NOT_FOUND), command: "update" });
  const values = JSON.stringify({ bucket_id: targetBucket, name: target, path_tokens: target.split("/") });
  const found = table.explained?.judgement.groups.map(({ sample }) => sample) ?? [];
  const rows = await changedRows(rules, { name: OBJECTS }, values, found);
  const moved = { table: OBJECTS, about: "the object in its new place", selection: { rows }, label: REFUSED };
  await rules.apply({ ...moved, command: "update", kind: "check" });
  await rules.apply({ ...moved, command: "select" });
  if (rules.sentences.length === told) rules.say("allowed", allowed(rules, "move", bucket, [source]));
}

async function copy({ rules, body }: Request): Promise<void> {
  const { bucket, source, target, targetBucket } = endpointsOf(body);
  await read(rules, bucket, [source], NOT_FOUND);
  await write(rules, targetBucket, target, false);
}

/** @throws ExplainError where the body lacks one of them. */
function endpointsOf({ bucketId, sourceKey, destinationKey, destinationBucket }: Record<string, unknown>) {
  if (typeof bucketId !== "string" || typeof sourceKey !== "string" || typeof destinationKey !== "string")
    throw new ExplainError("Give the body (--body) with bucketId, sourceKey and destinationKey.");
  const targetBucket = typeof destinationBucket === "string" ? destinationBucket : bucketId;
  return { bucket: bucketId, source: sourceKey, target: destinationKey, targetBucket };
}

/** @throws ExplainError where the body has no such list. */
function keysOf(body: Record<string, unknown>, name: string): string[] {
  const keys = body[name];
  if (Array.isArray(keys) && keys.length > 0 && keys.every((one) => typeof one === "string")) return keys;
  throw new ExplainError(`Give the body (--body) with ${name}: a list of names.`);
}

const onBucket =
  (command: "select" | "update" | "delete", label: Label) =>
  async ({ rules, bucket }: Request): Promise<void> => {
    const where: Where = { alias: "buckets", text: "$1 in ('', buckets.id)", values: [bucket] };
    const rule = { table: BUCKETS, about: "the bucket", selection: { where }, label };
    const told = rules.sentences.length;
    const { candidates } = await rules.apply({ ...rule, command: "select" });
    if (command !== "select") await rules.apply({ ...rule, command });
    if (rules.sentences.length > told) return;
    const { role } = rules.caller;
    if (candidates === 0)
      return rules.say("absent", bucket === "" ? "There is no bucket, for anybody." : noBucket(bucket));
    const which = bucket === "" ? "all buckets" : `bucket ${bucket}`;
    rules.say("allowed", `Row security lets ${role} ${command.toUpperCase()} ${which}.`);
  };

async function createBucket({ rules, body }: Request): Promise<void> {
  const { session, caller } = rules;
  const name = typeof body.name === "string" ? body.name : "new-bucket";
  const { sub } = caller.claims;
  const row = { id: body.id ?? name, name, public: body.public === true, owner_id: sub ?? null };
  const rows = await newRows(rules, await readTable(session, BUCKETS), JSON.stringify(row));
  const rule = { table: BUCKETS, about: "the new bucket", selection: { rows }, label: REFUSED } as const;
  const { sentences } = await rules.apply({ ...rule, command: "insert" });
  if (sentences.length === 0) rules.say("allowed", `Row security lets ${caller.role} INSERT bucket ${name}.`);
}

/** Undefined for a bucket that is not there. */
async function isPublic(session: Session, bucket: string): Promise<boolean | undefined> {
  const [row] = await session.rows<{ public: boolean | null }>(
    "select public from storage.buckets where id = $1",
    [bucket],
  );
  return row && row.public === true;
}

function objectsNamed(bucket: string, keys: readonly string[]): Where {
  return {
    alias: "objects",
    text: "objects.bucket_id = $1 and objects.name = any ($2::text[])",
    values: [bucket, keys],
    named: ["name"],
  };
}

function noBucket(bucket: string): string {
  return `There is no bucket ${bucket}, for anybody.`;
}

function noObject(bucket: string, keys: readonly string[]): string {
  return `There is no object ${listed([...keys], "or")} in bucket ${bucket}, for anybody.`;
}

function allowed({ caller }: Rules, what: string, bucket: string, keys: readonly string[]): string {
  return `Row security lets ${caller.role} ${what} ${listed([...keys])} in bucket ${bucket}.`;
}

type Explain = (request: Request) => Promise<void>;

const signOne: Explain = ({ rules, bucket, key }) => read(rules, bucket, [key], NOT_FOUND);
const signMany: Explain = ({ rules, bucket, body }) =>
  read(rules, bucket, keysOf(body, "paths"), hidden("Not signed"));
const removeOne: Explain = ({ rules, bucket, key }) =>
  remove(rules, bucket, [key], { kind: "refused", text: 'Not deleted, with "Access denied"' });
const removeMany: Explain = ({ rules, bucket, body }) =>
  remove(rules, bucket, keysOf(body, "prefixes"), hidden("Not deleted, without an error"));

/** With `storage.operation`, which policies may read. */
const ENDPOINTS: readonly [method: string, pattern: string, operation: string, explain: Explain][] = [
  ["GET", "/bucket", "storage.bucket.list", onBucket("select", NOT_LISTED)],
  ["GET", "/bucket/:bucket", "storage.bucket.get", onBucket("select", NOT_FOUND)],
  ["POST", "/bucket", "storage.bucket.create", createBucket],
  ["PUT", "/bucket/:bucket", "storage.bucket.update", onBucket("update", NOT_FOUND)],
  ["DELETE", "/bucket/:bucket", "storage.bucket.delete", onBucket("delete", NOT_FOUND)],
  ["POST", "/object/list/:bucket", "storage.object.list", list],
  ["POST", "/object/list-v2/:bucket", "storage.object.list_v2", list],
  ["POST", "/object/move", "storage.object.move", move],
  ["POST", "/object/copy", "storage.object.copy", copy],
  ["PUT", "/object/upload/sign/:bucket/*key", "storage.object.upload_signed", signedByToken],
  ["POST", "/object/upload/sign/:bucket/*key", "storage.object.sign_upload_url", upload(false)],
  ["GET", "/object/sign/:bucket/*key", "storage.object.get_signed", signedByToken],
  ["GET", "/render/image/sign/:bucket/*key", "storage.render.image_sign", signedByToken],
  ["POST", "/object/sign/:bucket/*key", "storage.object.sign", signOne],
  ["POST", "/object/sign/:bucket", "storage.object.sign_many", signMany],
  ["GET", "/object/info/public/:bucket/*key", "storage.object.info_public", readPublic],
  ["GET", "/object/info/authenticated/:bucket/*key", "object.get_authenticated_info", readObject],
  ["GET", "/object/info/:bucket/*key", "object.get_authenticated_info", readObject],
  ["GET", "/object/public/:bucket/*key", "storage.object.get_public", readPublic],
  ["GET", "/render/image/public/:bucket/*key", "storage.render.image_public", readPublic],
  ["GET", "/object/authenticated/:bucket/*key", "storage.object.get_authenticated", readObject],
  ["GET", "/render/image/authenticated/:bucket/*key", "storage.render.image_authenticated", readObject],
  ["GET", "/object/:bucket/*key", "storage.object.get_authenticated", readObject],
  ["POST", "/object/:bucket/*key", "storage.object.upload", upload(false)],
  ["PUT", "/object/:bucket/*key", "storage.object.upload_update", upload(true)],
  ["DELETE", "/object/:bucket/*key", "storage.object.delete", removeOne],
  ["DELETE", "/object/:bucket", "storage.object.delete_many", removeMany],
];

const ROUTES = new Router<{ operation: string; explain: Explain }, "bucket" | "key">(
  ENDPOINTS.map(([method, pattern, operation, explain]) => [method, pattern, { operation, explain }]),
);
