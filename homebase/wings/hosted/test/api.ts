/** Owns calling the Management API of a stand-in for hosted in tests. */
import type { Hosted } from "../index.ts";

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a body's shape is what the tests check.
  body: any;
}

/** A caller with the access token; paths that do not begin with `/v` are below the project. */
export function callerOf(hosted: Hosted, ref = hosted.project.ref) {
  return async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const whole = /^\/v\d/.test(path) ? path : `/v1/projects/${ref}${path}`;
    const answer = await fetch(`${hosted.management.url}${whole}`, {
      method,
      headers: {
        authorization: `Bearer ${hosted.management.accessToken}`,
        "content-type": "application/json",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
  };
}
