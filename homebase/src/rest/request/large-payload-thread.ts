/**
 * Owns the worker thread that parses large bodies: it returns keys and shape, and the text if it differs from
 * the body.
 */
import { parentPort } from "node:worker_threads";
import { RestError } from "../errors.ts";
import type { Answer, Job } from "./large-payload.ts";
import { isJson, parsePayload } from "./payload.ts";

const port = parentPort;
port?.on("message", (job: Job) => {
  const answer = answerTo(job);
  const whole = "text" in answer && answer.text.byteLength > 0 ? [answer.text.buffer as ArrayBuffer] : [];
  port.postMessage(answer, whole);
});

function answerTo({ id, bytes, contentType, use }: Job): Answer {
  const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const payload = parsePayload(given, contentType, use, false);
    if (payload.kind === "raw") return { id, payload: { ...payload, bytes: Buffer.alloc(0) }, text: bytes };
    if (payload.kind !== "json") return { id, payload, text: new Uint8Array() };
    const { text, ...rest } = payload;
    const bare: typeof payload = { ...rest, text: "" };
    if (typeof text !== "string") return { id, payload: bare, text: text.bytes };
    // Only an empty body, and a value that is not a row, are replaced by another text.
    const unchanged = isJson(contentType) && text.length > 2;
    return { id, payload: bare, text: unchanged ? bytes : new TextEncoder().encode(text) };
  } catch (error) {
    if (error instanceof RestError) {
      const { status, code, message, details, hint } = error;
      return { id, refusal: { status, code, message, details, hint } };
    }
    return { id, failure: String(error) };
  }
}
