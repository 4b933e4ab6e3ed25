/** Owns the upload endpoints: raw bodies, multipart forms, signed uploads (docs/compat/storage.md 1.3). */
import { PassThrough, type Readable } from "node:stream";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { jsonResponse, type ServiceRequest, type ServiceResponse } from "../../http/exchange.ts";
import { type Endpoint, RequestContext, type Storage } from "../dependencies.ts";
import { type Caller, requireCaller } from "../kit/caller.ts";
import { badRequest, requestAborted, StorageError } from "../kit/errors.ts";
import { checkedQuery } from "../kit/route-schemas.ts";
import type { ObjectRow } from "../kit/rows.ts";
import { TOKEN } from "./object-access.ts";
import { receiveObject, type Upload } from "./put.ts";
import { checkUploadToken } from "./sign.ts";
import { decodeMetadata, parseMetadata } from "./user-metadata.ts";

const MAX_FIELD_BYTES = 1024 * 1024;
const MAX_FIELDS = 10;
const FIELDS = new Set(["cacheControl", "metadata", "userMetadata", "contentType", "contentEncoding"]);
const MIME_TYPE = /^[^\s/;]+\/[^\s;]+/;

/** POST: creates an object, or replaces it with `x-upsert: true`. */
export const createObject: Endpoint = async (storage, request, place) => {
  const caller = await requireCaller(storage.context, request);
  const row = await upload(storage, request, place, caller, {
    upsert: request.headers["x-upsert"] === "true",
    operation: "storage.object.upload",
    policies: true,
  });
  return uploaded(row);
};

/** PUT: creates or replaces the object. */
export const replaceObject: Endpoint = async (storage, request, place) => {
  const caller = await requireCaller(storage.context, request);
  const row = await upload(storage, request, place, caller, {
    upsert: true,
    operation: "storage.object.upload_update",
    policies: true,
  });
  return uploaded(row);
};

/** PUT with a token that determines the path, the owner and whether an existing object may be replaced. */
export const uploadSigned: Endpoint = async (storage, request, place) => {
  const { token } = checkedQuery(request, TOKEN);
  const claims = await checkUploadToken(storage, token, place);
  const caller: Caller = {
    role: "service_role",
    subject: claims.owner,
    claims: { role: "service_role", ...(claims.owner ? { sub: claims.owner } : {}) },
    token: "",
  };
  await upload(storage, request, place, caller, {
    upsert: claims.upsert,
    operation: "storage.object.upload_signed",
    policies: !claims.upsert,
  });
  return jsonResponse(200, { Key: `${place.bucket}/${place.key}` });
};

function uploaded({ bucket_id, name, id }: ObjectRow): ServiceResponse {
  return jsonResponse(200, { Key: `${bucket_id}/${name}`, Id: id });
}

async function upload(
  storage: Storage,
  request: ServiceRequest,
  place: { bucket: string; key: string },
  caller: Caller,
  how: { upsert: boolean; operation: string; policies: boolean },
): Promise<ObjectRow> {
  const context = new RequestContext(storage, request, caller, how.operation);
  const declared = request.headers["content-length"];
  const contentType = request.headers["content-type"] ?? "application/octet-stream";
  const robots = request.headers["x-robots-tag"];
  const known = {
    ...place,
    upsert: how.upsert,
    contentLength: declared === undefined ? undefined : Number(declared),
    robots: Array.isArray(robots) ? robots.join(", ") : robots,
  };
  if (/^multipart\/form-data/i.test(contentType)) {
    const form = await readForm(request, contentType);
    try {
      const details: Upload = {
        ...known,
        enveloped: true,
        mimetype: form.fields.contentType ?? form.mimetype,
        // Read again when the row is written: fields may follow the file (supabase-js puts cacheControl
        // there), although policies see only those before it.
        get cacheControl() {
          return form.fields.cacheControl ? `max-age=${form.fields.cacheControl}` : "no-cache";
        },
        get contentEncoding() {
          return form.fields.contentEncoding;
        },
        get userMetadata() {
          return parseMetadata(form.fields.metadata ?? form.fields.userMetadata);
        },
      };
      return await receiveObject(context, details, form.file, how.policies);
    } finally {
      form.discard();
    }
  }
  if (!MIME_TYPE.test(contentType)) throw new StorageError("InvalidMimeType", "Invalid Content-Type header");
  const details: Upload = {
    ...known,
    mimetype: contentType,
    cacheControl: String(request.headers["cache-control"] ?? "no-cache"),
    userMetadata: decodeMetadata(request.headers["x-metadata"]),
    contentEncoding: request.headers["content-encoding"],
  };
  return receiveObject(context, details, request.body, how.policies);
}

interface Form {
  fields: Record<string, string>;
  file: Readable;
  mimetype: string;
  /** Discards the rest of the request, so that the response can be sent. */
  discard(): void;
}

/** Reads a form up to its file, whatever the field's name; the file's bytes stay in the stream. */
function readForm(request: ServiceRequest, contentType: string): Promise<Form> {
  return new Promise((resolve, reject) => {
    let parser: BusboyInstance;
    try {
      parser = new Busboy({
        headers: { ...request.headers, "content-type": contentType },
        limits: { files: 1, fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES },
      });
    } catch {
      reject(badRequest("Invalid multipart body", "InvalidRequest"));
      return;
    }
    const fields: Record<string, string> = {};
    let held: PassThrough | undefined;
    parser.on("field", (name, value) => {
      if (FIELDS.has(name)) fields[name] = value;
    });
    parser.on("file", (_name, stream, _filename, _encoding, mimetype) => {
      const file = stream as Readable;
      // A small body ends before it is consumed: fields after the file must not be lost in a paused stream.
      const body = new PassThrough();
      held = body;
      // The file's writer handles an error; until it is attached, the error must not crash the process.
      body.on("error", () => {});
      // The file's stream ends with the form, so that the fields after the file are known by then.
      file.pipe(body, { end: false });
      parser.once("finish", () => body.end());
      file.on("error", (error) => body.destroy(error));
      request.body.once("close", () => {
        if (!request.body.readableEnded) body.destroy(requestAborted());
      });
      resolve({
        fields,
        file: body,
        mimetype: mimetype || "application/octet-stream",
        discard: () => {
          body.resume();
          request.body.resume();
        },
      });
    });
    parser.on("finish", () => {
      if (!held) reject(badRequest("No content provided", "InvalidRequest"));
    });
    parser.on("error", (error: unknown) => {
      request.body.unpipe();
      request.body.resume();
      const refusal = badRequest(
        error instanceof Error ? error.message : "Invalid multipart body",
        "InvalidRequest",
      );
      if (held) held.destroy(refusal);
      else reject(refusal);
    });
    request.body.pipe(parser);
  });
}
