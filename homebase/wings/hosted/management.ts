/**
 * Owns the Management API of a stand-in for hosted: its port, access tokens, routing, the list of received
 * calls, and the failures that a rehearsal injects. A call that is not implemented responds 501 with its
 * name.
 */
import { randomBytes } from "node:crypto";
import { MetaError } from "../../src/catalog/errors.ts";
import { type Log, silentLog } from "../../src/core/log.ts";
import { jsonResponse, readBody, type ServiceResponse } from "../../src/http/exchange.ts";
import type { HttpRequest } from "../../src/http/request.ts";
import { Router } from "../../src/http/router.ts";
import { HttpServer } from "../../src/http/server.ts";
import { bearerToken } from "../../src/tokens/verify-token.ts";
import { Branches } from "./branch-projects.ts";
import type { PathName } from "./calls/call.ts";
import { CALLS, type Call } from "./calls/index.ts";
import { type HostedProject, PAUSED } from "./stand-in.ts";

/** A received call. */
export interface ReceivedCall {
  /** e.g. `PATCH /v1/projects/{ref}/config/auth`; for an unknown one the path itself. */
  call: string;
  status: number;
}

/** A failure to inject once. */
export interface Failure {
  /** As in `ReceivedCall.call`. */
  call: string;
  status?: number;
  /** Fails after the work is done: the response is lost, but not the effect. */
  after?: boolean;
}

const MAX_BODY = 64 * 1024 ** 2;
const REF = /^[a-z]{20}$/;
const TOKEN = /^sbp_(oauth_|v0_)?[a-f0-9]{40}$/;

/** The Management API of a stand-in for hosted. */
export class ManagementApi {
  readonly project: HostedProject;
  readonly branches: Branches;
  /** The accepted access token. */
  readonly accessToken = `sbp_${randomBytes(20).toString("hex")}`;
  readonly received: ReceivedCall[] = [];
  /** Pending injected failures. */
  readonly failures: Failure[] = [];
  readonly #server: HttpServer;
  readonly #router: Router<{ name: string; call: Call }, PathName>;
  #url = "";

  private constructor(project: HostedProject, log: Log) {
    this.project = project;
    this.branches = new Branches(project);
    this.#router = new Router(
      CALLS.map(([method, path, call]) => [
        method,
        path.replace(/\{(\w+)\}/g, ":$1"),
        { name: `${method} ${path}`, call },
      ]),
    );
    this.#server = new HttpServer({ log, handle: (request) => this.#handle(request) });
  }

  /** Opens its port on 127.0.0.1; 0 lets the system choose. @throws PortTaken */
  static async open(project: HostedProject, { port = 0, log = silentLog } = {}): Promise<ManagementApi> {
    const api = new ManagementApi(project, log);
    const listening = await api.#server.listen({ port, host: "127.0.0.1" });
    api.#url = `http://127.0.0.1:${listening ?? port}`;
    return api;
  }

  /** Without trailing slash. */
  get url(): string {
    return this.#url;
  }

  /** Unknown calls, without duplicates. */
  get unknown(): string[] {
    return [...new Set(this.received.filter(({ status }) => status === 501).map(({ call }) => call))];
  }

  /** Ends every connection and listens again on the same port. */
  restart(): Promise<void> {
    return this.#server.restart();
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async #handle(request: HttpRequest): Promise<ServiceResponse> {
    const matched = this.#router.match(request.method, request.path);
    // Another call's word in the place of a reference is none: /v1/projects/available-regions.
    const isCall = !matched?.handler.name.includes("{ref}") || REF.test(matched.values.ref);
    const found = isCall ? matched : undefined;
    const name = found?.handler.name ?? `${request.method} ${request.path}`;
    const response = await this.#answer(request, name, found);
    if (response.status !== 401) this.received.push({ call: name, status: response.status });
    return response;
  }

  async #answer(
    request: HttpRequest,
    name: string,
    found: ReturnType<Router<{ name: string; call: Call }, PathName>["match"]>,
  ): Promise<ServiceResponse> {
    const token = bearerToken(request.headers.authorization) ?? "";
    // The body is read after this: nothing of a stranger's request is kept in memory.
    if (!TOKEN.test(token) || token !== this.accessToken) return message(401, "Unauthorized");
    const body = await readBody(request, MAX_BODY);
    if (!found) return message(501, `This stand-in for hosted does not have the call ${name}.`);
    const { branches } = this;
    const project = name.includes("{ref}") ? branches.project(found.values.ref) : this.project;
    if (!project) return message(404, "Project not found");
    // Of a paused project calls only read, and those that need its database are refused by it.
    if (project.paused && request.method !== "GET" && !/\/(pause|restore)$/.test(name))
      return message(400, PAUSED);
    const failure = this.failures.findIndex((one) => one.call === name);
    const due = failure < 0 ? undefined : this.failures.splice(failure, 1)[0];
    if (due && !due.after) return message(due.status ?? 500, "Failed, as was asked for.");
    try {
      const answer = await found.handler.call({
        project,
        branches,
        values: found.values,
        query: new URLSearchParams(request.query),
        headers: request.headers,
        signal: request.signal,
        body,
        json: () => parsed(body),
      });
      return due ? message(due.status ?? 500, "Failed, as was asked for.") : answer;
    } catch (error) {
      if (error instanceof MetaError) return message(error.status, error.message);
      throw error;
    }
  }
}

/** @throws MetaError */
function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8") || "null");
  } catch {
    throw new MetaError(400, "The body is not JSON.");
  }
}

function message(status: number, text: string): ServiceResponse {
  return jsonResponse(status, { message: text });
}
