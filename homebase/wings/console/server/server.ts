/** Owns the console's responses: the page's files, the way in and the calls. */

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
import { CallRefused } from "./call-refused.ts";
import { createCalls } from "./calls.ts";
import { openFiles } from "./files.ts";
import { Frames } from "./frames.ts";

const MAX_BODY = 64 * 1024;
const FRAME = "/frame/";

export interface Console {
  handle(request: ServiceRequest): Promise<ServiceResponse>;
  /** Ends the open streams. */
  close(): void;
}

/** Creates what answers an admitted request. */
export async function createConsole(start: DeveloperStart, access: Access): Promise<Console> {
  const { port } = start.backend.config.studio;
  const files = await openFiles();
  const frames = new Frames();
  const calls = createCalls(start, frames);

  const post = async (request: ServiceRequest): Promise<ServiceResponse> => {
    const refused = foreign(request.headers, port);
    if (refused) return refuse(request, refused);
    const name = request.path.slice("/api/".length);
    const enters = request.path === "/enter";
    // Before the body is read: nobody without the token makes the stack read one.
    if (!enters && !access.admits(request.headers))
      return refuse(request, { status: 401, message: "The page must enter again, by a new link." });
    const ask = recordOf(await bodyOf(request));
    if (enters) {
      const entered = await access.enter(typeof ask.code === "string" ? ask.code : "");
      return typeof entered === "string" ? jsonResponse(200, { token: entered }) : refuse(request, entered);
    }
    return calls.answer(name, ask, request.signal);
  };

  return {
    handle: async (request) => {
      const { method, path } = request;
      if (method === "GET" && path.startsWith(FRAME))
        return frames.answer(path.slice(FRAME.length), request.headers);
      if (method === "GET" || method === "HEAD") return files.answer(path, request.headers);
      const known = path === "/enter" || path.startsWith("/api/");
      if (method !== "POST" || !known) {
        request.body.resume();
        return jsonResponse(405, { error: { message: "The console takes GET, and POST of its calls." } });
      }
      try {
        return await post(request);
      } catch (error) {
        if (error instanceof BodyTooLarge) return jsonResponse(413, { error: { message: error.message } });
        if (!(error instanceof CallRefused || error instanceof UserError)) throw error;
        const status = error instanceof CallRefused ? error.status : 422;
        return jsonResponse(status, { error: { message: error.message } });
      }
    },
    close: () => calls.close(),
  };
}

function refuse({ body }: ServiceRequest, { status, message }: Refusal): ServiceResponse {
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
