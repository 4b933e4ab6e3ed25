/** Owns the shape of a call of the Management API as it is answered. */
import type { IncomingHttpHeaders } from "node:http";
import type { ServiceResponse } from "../../http/exchange.ts";
import type { HostedProject } from "../project.ts";

/** What a call is answered from. */
export interface CallInput {
  project: HostedProject;
  /** What stands for the path's variables after `{ref}`. */
  values: string[];
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The body as JSON; a body that is none is answered with 400. */
  json(): unknown;
}

export type Call = (input: CallInput) => ServiceResponse | Promise<ServiceResponse>;

export type CallEntry = readonly [method: string, path: string, call: Call];
