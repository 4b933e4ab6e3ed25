/** Owns the HTTP side: broadcasts (docs/compat/realtime.md 9) and health (1). */

import { errorBoundary } from "../../core/error-boundary.ts";
import { percentDecoded } from "../../core/percent.ts";
import {
  BodyTooLarge,
  jsonResponse,
  readBody,
  type ServiceRequest,
  type ServiceResponse,
} from "../../http/exchange.ts";
import { Router } from "../../http/router.ts";
import { verifyRequestToken } from "../../http/secret-rights.ts";
import { tokenOf } from "../../tokens/verify-token.ts";
import type { Hub } from "../hub/hub.ts";
import { broadcastBody } from "../hub/rooms.ts";
import { AuthorizationFailed } from "../kit/authorization.ts";
import { ENCODING_BINARY, ENCODING_JSON, RawJson } from "../kit/frames.ts";
import { checkRealtimeToken, ownerOf, type Token } from "../kit/socket-token.ts";
import {
  type BatchMessage,
  batchMessages,
  contentType,
  JSON_TYPE,
  MalformedBody,
  objectBody,
} from "./http-body.ts";

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "x-rate-rolling, x-rate-limit, x-rate-limit-remaining",
};

type Name = "tenant" | "topic" | "event";
type Values = Record<Name, string>;
type Endpoint = (hub: Hub, request: ServiceRequest, values: Values) => Promise<ServiceResponse>;
type Broadcast = (
  hub: Hub,
  request: ServiceRequest,
  token: Token,
  body: Buffer,
  values: Values,
) => Promise<ServiceResponse>;

const router = new Router<Endpoint, Name>([
  ["GET", "/api/ping", async (hub) => answer(hub, 200, { message: "Success" })],
  ["GET", "/api/tenants/:tenant/health", health],
  ["POST", "/api/broadcast", authorized(broadcastBatch)],
  ["POST", "/api/broadcast/:topic/events/:event", authorized(broadcastOne)],
]);

/** Handles `/api/...`; undefined for other paths. */
export async function handleApi(hub: Hub, request: ServiceRequest): Promise<ServiceResponse | undefined> {
  const found = router.match(request.method, request.path);
  return found?.handler(hub, request, found.values);
}

/** The id of the one tenant, as on the CLI's stack. */
const TENANT = "realtime-dev";

/**
 * Whether the service can work (supabase/realtime, tenant_controller.ex `health`): it is healthy without a connection to
 * the database as long as no client needs one.
 */
async function health(hub: Hub, request: ServiceRequest, { tenant }: Values): Promise<ServiceResponse> {
  request.body.resume();
  const { database } = hub.context;
  const given = tokenOf(request.authorization ?? "");
  if (!(await verifyRequestToken(given, hub.context, request)).ok)
    return { status: 403, headers: {}, body: "" };
  if (tenant !== TENANT) return jsonResponse(404, { error: "not found" });
  const connected = await database.query("postgres", "select 1").then(
    () => true,
    () => false,
  );
  const replicating = (await hub.feed.heldBytes().catch(() => undefined)) !== undefined;
  return jsonResponse(200, {
    data: {
      healthy: connected || hub.joined.size === 0,
      db_connected: connected,
      replication_connected: replicating,
      connected_cluster: hub.joined.size,
      region: "local",
      node: "homebase@127.0.0.1",
    },
  });
}

/** Verifies the token and reads the body before a broadcast; errors become the response. */
function authorized(broadcast: Broadcast): Endpoint {
  return async (hub, request, values) => {
    let token: Token;
    try {
      const given = tokenOf(request.authorization ?? "");
      token = await checkRealtimeToken(given, hub.context, request);
    } catch {
      request.body.resume();
      return answer(hub, 401, { message: "Unauthorized" });
    }
    try {
      const body = await readBody(request, hub.limits.frameBytes);
      return await broadcast(hub, request, token, body, values);
    } catch (error) {
      if (error instanceof BodyTooLarge) return answer(hub, 413, { message: "Payload Too Large" });
      if (error instanceof MalformedBody) return answer(hub, 400, "Bad Request");
      throw error;
    }
  };
}

function answer(hub: Hub, status: number, body: unknown): ServiceResponse {
  const { limit } = hub.messages;
  const rolling = hub.messages.average(hub.context.clock.now());
  const known = limit !== Number.POSITIVE_INFINITY;
  const headers = {
    ...CORS,
    "x-rate-rolling": String(rolling),
    "x-rate-limit": String(known ? limit : -1),
    "x-rate-limit-remaining": String(known ? Math.max(0, limit - rolling) : -1),
  };
  return body === undefined ? { status, headers, body: "" } : jsonResponse(status, body, headers);
}

async function broadcastBatch(
  hub: Hub,
  request: ServiceRequest,
  token: Token,
  body: Buffer,
): Promise<ServiceResponse> {
  const { messages, faults } = batchMessages(request, body, hub.limits.broadcastBytes);
  if (faults) return answer(hub, 422, { errors: { messages: faults } });
  const now = hub.context.clock.now();
  const rate = hub.messages.average(now);
  if (rate > hub.messages.limit) return answer(hub, 429, { message: "You have exceeded your rate limit" });
  if (rate + messages.length > hub.messages.limit) {
    const message = "Too many messages to broadcast, please reduce the batch size";
    return answer(hub, 429, { message });
  }
  const allowed = await writableTopics(hub, request, token, messages);
  const sent = messages.filter((message) => !message.private || allowed.has(message.topic));
  const by = { ...requestOf(request, token), told: false };
  const send = errorBoundary(hub.context.log, "a broadcast over HTTP", (message: BatchMessage) => {
    hub.messages.add(now);
    const { topic, event, private: isPrivate } = message;
    const room = hub.rooms.find(topic, isPrivate);
    const payload = Buffer.from(JSON.stringify(message.payload));
    const text = broadcastBody({ event, payload, encoding: ENCODING_JSON, meta: "" });
    const delivery = room?.broadcastText(`realtime:${topic}`, new RawJson(text.text), undefined);
    const bytes = payload.length;
    hub.broadcasted({ topic, private: isPrivate, event, bytes, ...by }, delivery);
  });
  for (const { topic, event, private: isPrivate } of messages.filter((one) => !sent.includes(one))) {
    hub.broadcasted({ topic, private: isPrivate, event, bytes: 0, ...by, failure: "unauthorized" });
  }
  await hub.turns.all(
    request,
    sent.map((message) => () => send(message)),
  );
  return answer(hub, 202, undefined);
}

/** What an entry of a broadcast says of its request. */
function requestOf(request: ServiceRequest, token: Token) {
  return { origin: "http" as const, request: request.id, sender: ownerOf(token) };
}

/** Private topics of a batch that policies let the caller write; each is checked once. */
async function writableTopics(
  hub: Hub,
  request: ServiceRequest,
  token: Token,
  messages: readonly BatchMessage[],
): Promise<ReadonlySet<string>> {
  const topics = [...new Set(messages.filter((message) => message.private).map((message) => message.topic))];
  const allowed = await Promise.all(
    topics.map((topic) =>
      hub.authorization.canWrite({ token, topic, headers: request.headers }, "broadcast").catch(() => false),
    ),
  );
  return new Set(topics.filter((_, index) => allowed[index]));
}

async function broadcastOne(
  hub: Hub,
  request: ServiceRequest,
  token: Token,
  body: Buffer,
  values: Values,
): Promise<ServiceResponse> {
  const [topic, event] = [percentDecoded(values.topic), percentDecoded(values.event)];
  const type = contentType(request) ?? JSON_TYPE;
  if (type !== JSON_TYPE && type !== "application/octet-stream") {
    return answer(hub, 415, {
      error: "Unsupported Media Type. Use application/json or application/octet-stream",
    });
  }
  const json = type === JSON_TYPE;
  const payload = json ? objectBody(body) : body;
  if (payload.length > hub.limits.broadcastBytes) {
    return answer(hub, 422, { errors: { payload: ["Payload size exceeds tenant limit"] } });
  }
  const now = hub.context.clock.now();
  if (hub.messages.average(now) >= hub.messages.limit) {
    return answer(hub, 429, { message: "You have exceeded your rate limit" });
  }
  const query = new URLSearchParams(request.query);
  const isPrivate = query.get("private") === "true";
  if (query.get("persist") === "true" || query.has("persist[ttl]")) hub.noteNotStored();
  const about = {
    topic,
    private: isPrivate,
    event,
    bytes: payload.length,
    ...requestOf(request, token),
    told: true,
  };
  if (isPrivate) {
    try {
      const caller = { token, topic, headers: request.headers };
      const allowed = await hub.authorization.canWrite(caller, "broadcast");
      if (!allowed) {
        hub.broadcasted({ ...about, failure: "unauthorized" });
        return answer(hub, 403, { message: "Unauthorized" });
      }
    } catch (error) {
      if (!(error instanceof AuthorizationFailed)) throw error;
      if (error.fault === "policy") return answer(hub, 422, { message: "RLS policy error" });
      if (error.fault === "partition") return answer(hub, 422, { message: "Missing messages partition" });
      return answer(hub, 422, { message: "Tenant database unavailable" });
    }
  }
  const encoding = json ? ENCODING_JSON : ENCODING_BINARY;
  hub.messages.add(now);
  const delivery = hub.rooms
    .find(topic, isPrivate)
    ?.broadcastUser(`realtime:${topic}`, { event, payload, encoding, meta: "" }, undefined);
  hub.broadcasted(about, delivery);
  return answer(hub, 202, undefined);
}
