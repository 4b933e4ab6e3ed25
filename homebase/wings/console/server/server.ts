/** Owns the console's responses: the page's files, the way in and the calls. */
import { Readable } from "node:stream";
import { recordOf } from "../../../src/core/record.ts";
import { UserError } from "../../../src/core/user-error.ts";
import type { DeveloperStart } from "../../../src/developer/stack-wing.ts";
import {
  BodyTooLarge,
  jsonResponse,
  readBody,
  type ServiceRequest,
  type ServiceResponse,
} from "../../../src/http/exchange.ts";
import { type Access, foreign, type Refusal } from "./access.ts";
import type { Entered } from "./api.ts";
import { CallRefused } from "./call-refused.ts";
import { aboutOf, CALLS } from "./calls.ts";
import { uploadFile } from "./data/calls.ts";
import { Feed } from "./feed.ts";
import { openFiles } from "./files.ts";
import { Frames } from "./frames.ts";
import { MadeTests } from "./made-tests.ts";
import { Snippets } from "./sql/snippets.ts";
import { SavedStates } from "./stack/saved-states.ts";
import { Reasons } from "./why.ts";

const MAX_BODY = 64 * 1024;
const FRAME = "/frame/";
const UPLOAD = "/upload";
const BYTES = "application/octet-stream";
/** Calls that ask no database, and so are answered while it is being replaced. */
const NOT_WAITING: ReadonlySet<string> = new Set(["about", "feed", "snapshots", "snapshotAct"]);

export interface Console {
  handle(request: ServiceRequest): Promise<ServiceResponse>;
  /** Ends the open streams. */
  close(): void;
}

/** Creates what answers an admitted request. */
export async function createConsole(start: DeveloperStart, access: Access): Promise<Console> {
  const { port } = start.backend.config.studio;
  const files = await openFiles();
  const { backend } = start;
  const frames = new Frames();
  const feed = new Feed(start, backend.log.named("console"));
  const snippets = new Snippets(backend.config.projectFolder);
  const context = {
    ...{ start, feed, frames, snippets },
    reasons: new Reasons(start),
    tests: new MadeTests(start),
    states: new SavedStates(start),
  };

  const take = async (request: ServiceRequest): Promise<ServiceResponse> => {
    const uploads = request.path === UPLOAD;
    const refused = foreign(request.headers, port, uploads ? BYTES : "application/json");
    if (refused) return refuse(request, refused);
    const name = request.path.slice("/api/".length);
    const enters = request.path === "/enter";
    // Before the body is read: nobody without the token makes the stack read one.
    if (!enters && !access.admits(request.headers))
      return refuse(request, { status: 401, message: "The page must enter again, by a new link." });
    if (uploads) return jsonResponse(200, await uploadFile(context, request));
    const ask = recordOf(await bodyOf(request));
    if (enters) {
      // A filter that is refused uses no code up.
      const read = feed.reader(typeof ask.filter === "string" ? ask.filter : "");
      const entered = await access.enter(typeof ask.code === "string" ? ask.code : "");
      if (typeof entered !== "string") return refuse(request, entered);
      const answer: Entered = { token: entered, about: aboutOf(context), part: read([0, 0]) };
      return jsonResponse(200, answer);
    }
    const call = Object.hasOwn(CALLS, name) ? CALLS[name] : undefined;
    if (!call) throw new CallRefused(404, "There is no such call.");
    if (!NOT_WAITING.has(name)) await backend.available();
    const { count } = backend.suspensions;
    const { signal } = request;
    const asking = { ...context, start: { ...start, signal } };
    const answer = await Promise.resolve(call(asking, ask, signal)).catch((error: unknown) => {
      if (count === backend.suspensions.count || NOT_WAITING.has(name)) throw error;
      throw new CallRefused(503, "The database was replaced meanwhile.");
    });
    if (!(answer instanceof Readable)) return jsonResponse(200, answer);
    const type = name === "file" ? BYTES : "application/x-ndjson";
    return { status: 200, headers: { "content-type": type }, body: answer };
  };

  return {
    handle: async (request) => {
      const { method, path } = request;
      if (method === "GET" && path.startsWith(FRAME))
        return frames.answer(path.slice(FRAME.length), request.headers);
      if (method === "GET" || method === "HEAD") return files.answer(path, request.headers);
      const known =
        path === UPLOAD ? "PUT" : path === "/enter" || path.startsWith("/api/") ? "POST" : undefined;
      if (method !== known)
        return refuse(request, { status: 405, message: "The console takes GET, and its own calls." });
      try {
        return await take(request);
      } catch (error) {
        request.body.resume();
        if (error instanceof BodyTooLarge) return jsonResponse(413, { error: { message: error.message } });
        const status = error instanceof CallRefused ? error.status : 422;
        const message =
          error instanceof CallRefused || error instanceof UserError ? error.message : saidByPostgres(error);
        return jsonResponse(status, { error: { message } });
      }
    },
    close: () => feed.close(),
  };
}

/** An error of Postgres is an answer for the reader. @throws any other, which is a failure of the console */
function saidByPostgres(error: unknown): string {
  const { code, message, detail, hint } = error as Record<string, unknown>;
  if (typeof code !== "string" || !/^[\dA-Z]{5}$/.test(code)) throw error;
  return [
    `${message} (${code})`,
    ...[detail, hint].filter((one) => typeof one === "string" && one !== ""),
  ].join(". ");
}

function refuse(
  { body }: ServiceRequest,
  { status, message }: Pick<Refusal, "message"> & { status: number },
): ServiceResponse {
  body.resume();
  return jsonResponse(status, { error: { message } });
}

/** @throws CallRefused, BodyTooLarge */
async function bodyOf(request: ServiceRequest): Promise<unknown> {
  const text = (await readBody(request, MAX_BODY)).toString();
  try {
    return JSON.parse(text);
  } catch {
    throw new CallRefused(400, "The body is not JSON.");
  }
}
