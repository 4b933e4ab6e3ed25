/** Owns the upload endpoints: raw bodies, multipart forms, signed uploads (compat/storage.md 1.3). */
import { PassThrough, type Readable } from "node:stream";
import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { jsonResponse, type ServiceRequest, type ServiceResponse } from "../service/exchange.ts";
import { type Caller, demandCaller } from "./caller.ts";
import { badRequest, StorageError, tooLarge } from "./errors.ts";
import { admitUpload, storeObject, type Upload } from "./put.ts";
import { queryFields } from "./request.ts";
import { checkUploadToken } from "./sign.ts";
import { type Endpoint, occasion, type Storage } from "./storage.ts";

const MAX_FIELD_BYTES = 1024 * 1024;
const MAX_FIELDS = 10;

/** POST: a new object, or also an existing one with `x-upsert: true`. */
export const createObject: Endpoint = async (storage, request, place) => {
  const caller = await demandCaller(storage.context, request);
  return upload(storage, request, place, caller, {
    upsert: request.headers["x-upsert"] === "true",
    operation: "storage.object.upload",
    policies: true,
  });
};

/** PUT: the object, whether it is there or not. */
export const replaceObject: Endpoint = async (storage, request, place) => {
  const caller = await demandCaller(storage.context, request);
  return upload(storage, request, place, caller, {
    upsert: true,
    operation: "storage.object.upload_update",
    policies: true,
  });
};

/** PUT with a token that says who may, what and whether an existing object may be replaced. */
export const uploadSigned: Endpoint = async (storage, request, place) => {
  const query = queryFields(request.query);
  const claims = await checkUploadToken(storage, query.requiredText("token"), place);
  const caller: Caller = {
    role: "service_role",
    subject: claims.owner,
    claims: { role: "service_role", ...(claims.owner ? { sub: claims.owner } : {}) },
    token: "",
  };
  const response = await upload(storage, request, place, caller, {
    upsert: claims.upsert,
    operation: "storage.object.upload_signed",
    policies: !claims.upsert,
  });
  const { Key } = JSON.parse(String(response.body)) as { Key: string };
  return jsonResponse(200, { Key });
};

async function upload(
  storage: Storage,
  request: ServiceRequest,
  place: { bucket: string; key: string },
  caller: Caller,
  how: { upsert: boolean; operation: string; policies: boolean },
): Promise<ServiceResponse> {
  const on = occasion(request, caller, how.operation);
  const declared = request.headers["content-length"];
  const contentLength = declared === undefined ? undefined : Number(declared);
  const given = request.headers["content-type"] ?? "application/octet-stream";
  const robots = request.headers["x-robots-tag"];
  const base = {
    ...place,
    upsert: how.upsert,
    contentLength,
    robots: Array.isArray(robots) ? robots.join(", ") : robots,
  };
  if (!/^multipart\/form-data/i.test(given)) {
    if (!/^[^\s/;]+\/[^\s;]+/.test(given))
      throw new StorageError("InvalidMimeType", "Invalid Content-Type header");
    const details: Upload = {
      ...base,
      mimetype: given,
      cacheControl: String(request.headers["cache-control"] ?? "no-cache"),
      userMetadata: decodeMetadata(request.headers["x-metadata"]),
    };
    const { limit } = await admitUpload(storage, on, details, how.policies);
    return stored(place, await storeObject(storage, on, details, request.body, limit));
  }
  const form = await readForm(request, given);
  try {
    const details: Upload = {
      ...base,
      mimetype: form.fields.contentType ?? form.mimetype,
      cacheControl: form.fields.cacheControl ? `max-age=${form.fields.cacheControl}` : "no-cache",
      userMetadata: parseMetadata(form.fields.metadata ?? form.fields.userMetadata),
    };
    // The declared length has the form's envelope in it: the file itself is measured as it comes.
    const { limit } = await admitUpload(storage, on, { ...details, contentLength: undefined }, false);
    if (how.policies)
      await admitUpload(
        storage,
        on,
        { ...details, contentLength: Math.min(contentLength ?? 0, limit) },
        true,
      );
    const result = await storeObject(storage, on, details, form.file, limit);
    if (form.truncated()) throw tooLarge();
    return stored(place, result);
  } catch (error) {
    form.discard();
    throw error;
  }
}

function stored(place: { bucket: string; key: string }, { id }: { id: string }): ServiceResponse {
  return jsonResponse(200, { Key: `${place.bucket}/${place.key}`, Id: id });
}

interface Form {
  fields: Record<string, string>;
  file: Readable;
  mimetype: string;
  truncated(): boolean;
  /** Reads the rest of the request to nowhere, so that the answer can be sent. */
  discard(): void;
}

/** Reads a form up to its file, whatever the file's field is called; the file's bytes are left to flow. */
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
    let found = false;
    parser.on("field", (name, value) => {
      if (["cacheControl", "metadata", "userMetadata", "contentType"].includes(name)) fields[name] = value;
    });
    parser.on("file", (_name, stream, _filename, _encoding, mimetype) => {
      found = true;
      const file = stream as Readable & { truncated?: boolean };
      // Small bodies end before anybody asks: what follows the file must not be lost to a paused stream.
      const held = new PassThrough();
      file.pipe(held);
      file.on("error", (error) => held.destroy(error));
      request.body.once("close", () => {
        if (!request.body.readableEnded) held.destroy(new Error("The request ended before its end."));
      });
      resolve({
        fields,
        file: held,
        mimetype: mimetype || "application/octet-stream",
        truncated: () => file.truncated === true,
        discard: () => {
          held.resume();
          request.body.resume();
        },
      });
    });
    parser.on("finish", () => {
      if (!found) reject(badRequest("No content provided", "InvalidRequest"));
    });
    parser.on("error", (error: unknown) => {
      request.body.unpipe();
      request.body.resume();
      if (!found)
        reject(
          badRequest(error instanceof Error ? error.message : "Invalid multipart body", "InvalidRequest"),
        );
    });
    request.body.pipe(parser);
  });
}

/** `x-metadata`: base64 of a JSON object. What cannot be decoded counts as not sent. */
export function decodeMetadata(header: string | string[] | undefined): Record<string, unknown> {
  const text = Array.isArray(header) ? header[0] : header;
  return text ? parseMetadata(Buffer.from(text, "base64").toString("utf8")) : {};
}

function parseMetadata(text: string | undefined): Record<string, unknown> {
  if (!text) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}
