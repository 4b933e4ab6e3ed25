/**
 * Owns the functions service: forwarding a request to its worker (docs/compat/functions.md 1). It needs no
 * route table: the first segment of the path is the function's name, and the function handles the rest.
 */

import { setTimeout } from "node:timers/promises";
import {
  jsonResponse,
  refuseUpgrade,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
} from "../http/exchange.ts";
import type { RequestRecord } from "../http/records.ts";
import { ForeignRefused } from "../http/secret-rights.ts";
import type { ServiceContext } from "../service-context.ts";
import { NotReached } from "./connections.ts";
import { ensureDeno } from "./deno.ts";
import { FunctionError } from "./errors.ts";
import { type FunctionDefinition, findFunction, listFunctions } from "./project-functions.ts";
import { forward, forwardUpgrade } from "./proxy.ts";
import { Supervisor } from "./supervisor.ts";
import { requireOwnToken, verifyJwt } from "./verify-jwt.ts";
import type { WorkerLimits } from "./worker.ts";

const METHODS = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"]);

/** The time that a process whose socket is closed has to exit. */
const ENDING_MS = 500;

/** A request that was let in and has no response yet. */
export interface FunctionCall {
  record: RequestRecord;
  /** Whether the function's process is ready for it. */
  started: boolean;
}

export interface FunctionsService extends Service {
  /** Names of the functions that have a process. */
  running(): string[];
  /** In the order of their beginnings. */
  calls(): readonly FunctionCall[];
}

/** Creates the functions service of a Backend. */
export function createFunctionsService(context: ServiceContext, limits?: WorkerLimits): FunctionsService {
  const supervisor = new Supervisor(context, limits);
  const tellProgress = (text: string) => context.log.info(text);
  // Preloads for the first call, silently. A failure is reported by that call, which retries.
  if (listFunctions(context.config).length > 0) ensureDeno().catch(() => {});

  const workerOf = async (definition: FunctionDefinition) => {
    await ensureDeno(tellProgress).catch((error: Error) => {
      throw new FunctionError("BOOT_ERROR", error.message);
    });
    return supervisor.worker(definition);
  };

  const admit = async (request: ServiceRequest): Promise<FunctionDefinition> => {
    const name = request.path.slice(1).split("/", 1)[0] ?? "";
    const definition = supervisor.serving(name) ?? findFunction(context.config, name);
    if (!definition) throw new FunctionError("NOT_FOUND");
    if (definition.verifyJwt && request.method !== "OPTIONS") await verifyJwt(request, context);
    else await requireOwnToken(request, context);
    return definition;
  };

  /** Forwards to the function's worker; a worker that ended before the request reached it is replaced once. */
  const answered = async (
    definition: FunctionDefinition,
    request: ServiceRequest,
    call: FunctionCall | undefined,
  ) => {
    const worker = await workerOf(definition);
    if (call) call.started = true;
    try {
      return await forward(request, worker, context.url);
    } catch (error) {
      if (!(error instanceof NotReached)) throw error;
    }
    await Promise.race([worker.gone, setTimeout(ENDING_MS)]);
    return forward(request, await workerOf(definition), context.url).catch((error: unknown) => {
      throw error instanceof NotReached ? new FunctionError("WORKER_ERROR") : error;
    });
  };

  const calls = new Set<FunctionCall>();
  const warned = new Set<string>();
  /** Hosted serves HTML as plain text (except on custom domains); Homebase does not. */
  const warnOfHtml = (name: string, request: ServiceRequest, { headers }: ServiceResponse) => {
    if (request.method !== "GET" || warned.has(name)) return;
    if (!/^text\/html\b/i.test(String(headers?.["content-type"] ?? ""))) return;
    warned.add(name);
    context.log.warn("Hosted Supabase serves HTML of a GET as text/plain, except on a custom domain.", {
      function: name,
    });
  };

  return {
    async handle(request: ServiceRequest): Promise<ServiceResponse> {
      if (!METHODS.has(request.method)) {
        request.body.resume();
        return jsonResponse(405, {
          code: "METHOD_NOT_ALLOWED",
          message: `Method ${request.method} is not allowed`,
        });
      }
      let call: FunctionCall | undefined;
      try {
        const definition = await admit(request);
        call = request.record && { record: request.record, started: false };
        if (call) calls.add(call);
        const response = await answered(definition, request, call);
        warnOfHtml(definition.name, request, response);
        return response;
      } catch (error) {
        if (!(error instanceof FunctionError)) throw error;
        request.body.resume();
        if (request.record) request.record.code = error.code;
        if (error.details) {
          context.log.error(`${error.message} ${request.path}`, { id: request.id, details: error.details });
        }
        return error.response();
      } finally {
        if (call) calls.delete(call);
      }
    },

    upgrade(request, socket, head) {
      const run = async () => {
        const worker = await workerOf(await admit(request));
        forwardUpgrade(request, socket, head, worker, context.url);
      };
      run().catch((error: unknown) => {
        if (error instanceof ForeignRefused) refuseUpgrade(socket, 403, { message: error.message });
        else if (error instanceof FunctionError) refuseUpgrade(socket, error.status, error.body);
        else refuseUpgrade(socket, 502, { message: "Bad Gateway" });
      });
    },

    calls: () => [...calls],

    running: () => supervisor.running.map(({ name }) => name),

    close: () => supervisor.close(),
  };
}
