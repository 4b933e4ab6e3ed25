/** Owns the calls about functions: upload, activation, settings, removal, and the uploaded files. */

import { recordOf } from "../../../src/core/record.ts";
import { jsonResponse, type ServiceResponse } from "../../../src/http/exchange.ts";
import type { UploadedFile } from "../uploaded-functions.ts";
import type { CallEntry } from "./call.ts";

const ALL = "/v1/projects/{ref}/functions";
const ONE = `${ALL}/{function_slug}`;
const NOT_FOUND = { message: "Function not found" };
const ESZIP = {
  message:
    "Uploads of an eszip are not built in this stand-in: deploy the sources (supabase functions deploy --use-api).",
};

export const FUNCTIONS: readonly CallEntry[] = [
  ["GET", ALL, ({ project }) => jsonResponse(200, project.functions.list())],
  [
    "PUT",
    ALL,
    async ({ project, json }) => {
      const functions = project.functions.activate(json());
      await project.apply();
      return jsonResponse(200, { functions });
    },
  ],
  ["POST", ALL, () => jsonResponse(501, ESZIP)],
  [
    "POST",
    `${ALL}/deploy`,
    async ({ project, query, headers, body }) => {
      const slug = query.get("slug") ?? "";
      const live = query.get("bundleOnly") !== "true";
      const answer = await project.functions.upload(slug, headers, body, live);
      if (live) await project.apply();
      return jsonResponse(201, answer);
    },
  ],
  [
    "GET",
    `${ONE}/body`,
    ({ project, values: { function_slug: slug } }) => {
      const files = project.functions.files(slug);
      return files ? form(files, project.functions.get(slug)) : jsonResponse(404, NOT_FOUND);
    },
  ],
  [
    "GET",
    ONE,
    ({ project, values: { function_slug: slug } }) => {
      const found = project.functions.get(slug);
      return found ? jsonResponse(200, found) : jsonResponse(404, NOT_FOUND);
    },
  ],
  [
    "PATCH",
    ONE,
    async ({ project, values: { function_slug: slug }, headers, json }) => {
      if (String(headers["content-type"]).includes("eszip")) return jsonResponse(501, ESZIP);
      const given = json();
      const changed = project.functions.change(slug, recordOf(given));
      if (!changed) return jsonResponse(404, NOT_FOUND);
      await project.apply();
      return jsonResponse(200, changed);
    },
  ],
  [
    "DELETE",
    ONE,
    async ({ project, values: { function_slug: slug } }) => {
      if (!project.functions.remove(slug)) return jsonResponse(404, NOT_FOUND);
      await project.apply();
      return jsonResponse(200, null);
    },
  ],
];

/** The uploaded files, unchanged. */
function form(files: readonly UploadedFile[], metadata: unknown): ServiceResponse {
  const boundary = "homebase-function-body";
  const parts = files.map(({ path, bytes }) =>
    Buffer.concat([
      Buffer.from(
        `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${path}"\r\ncontent-type: application/octet-stream\r\n\r\n`,
      ),
      bytes,
      Buffer.from("\r\n"),
    ]),
  );
  const last = `--${boundary}\r\ncontent-disposition: form-data; name="metadata"\r\n\r\n${JSON.stringify(metadata)}\r\n--${boundary}--\r\n`;
  return {
    status: 200,
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([...parts, Buffer.from(last)]),
  };
}
