/** Owns the type of a Management API call. */
import type { IncomingHttpHeaders } from "node:http";
import type { ServiceResponse } from "../../../src/http/exchange.ts";
import type { Branches } from "../branch-projects.ts";
import type { HostedProject } from "../stand-in.ts";

/** The variables of the calls' paths. */
export type PathName =
  | "ref"
  | "branch_id_or_ref"
  | "function_slug"
  | "name"
  | "provider_id"
  | "slug"
  | "version";

/** The state and input of a call. */
export interface CallInput {
  /** Of the path's reference: the project, or a branch's. */
  project: HostedProject;
  branches: Branches;
  /** The path's variables. */
  values: Record<PathName, string>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Aborted when the caller has disconnected. */
  signal: AbortSignal;
  body: Buffer;
  /** The body as JSON; invalid JSON is a 400. */
  json(): unknown;
}

export type Call = (input: CallInput) => ServiceResponse | Promise<ServiceResponse>;

export type CallEntry = readonly [method: string, path: string, call: Call];
