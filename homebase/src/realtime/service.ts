/** Owns the realtime service: the handshake of sockets and the HTTP side (docs/compat/realtime.md 1 and 2). */
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { jsonResponse, refuseUpgrade, type Service, type ServiceRequest } from "../http/exchange.ts";
import type { ServiceContext } from "../service-context.ts";
import { handleApi } from "./http.ts";
import { Hub } from "./hub.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import type { Serializer } from "./socket/frames.ts";
import { RealtimeSocket } from "./socket/socket.ts";
import { checkRealtimeToken, type Token, TokenRefused } from "./token.ts";

const CHECK_MS = 5_000;
const CLOSE_RESTART = 1012;

/** Realtime's part of `homebase status`. */
export interface RealtimeFigures {
  sockets: number;
  channels: number;
  /** Bytes of the log that Postgres retains for the reader; null when nothing is read. */
  heldLogBytes: number | null;
}

export interface RealtimeService extends Service {
  figures(): Promise<RealtimeFigures>;
}

/** Creates the realtime service of a Backend. */
export async function createRealtimeService(
  context: ServiceContext,
  limits: Limits = defaultLimits,
): Promise<RealtimeService> {
  const hub = new Hub(context, limits);
  const sockets = new Set<RealtimeSocket>();
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: limits.frameBytes,
    perMessageDeflate: false,
  });
  const checks = setInterval(
    () => {
      const now = performance.now();
      for (const socket of sockets) socket.check(now);
    },
    Math.min(CHECK_MS, limits.idleMilliseconds),
  );
  checks.unref();

  const accept = async (request: ServiceRequest, duplex: Duplex, head: Buffer): Promise<void> => {
    const parameters = new URLSearchParams(request.query);
    const version = parameters.get("vsn") ?? "1.0.0";
    if (!request.path.startsWith("/websocket")) return refuseUpgrade(duplex, 404, { error: "Not Found" });
    if (version !== "1.0.0" && version !== "2.0.0") return refuseUpgrade(duplex, 403);
    let token: Token;
    try {
      const given = keyOf(request, context);
      if (!given) return refuseUpgrade(duplex, 401, { error: "API key is missing" });
      token = await checkRealtimeToken(given, context.keys, context.clock, request.foreign);
    } catch (error) {
      const text = error instanceof TokenRefused ? error.message : "Error connecting to Realtime";
      return refuseUpgrade(duplex, error instanceof TokenRefused ? 401 : 500, { error: text });
    }
    if (hub.joined.size >= limits.connections || sockets.size >= limits.sockets)
      return refuseUpgrade(duplex, 429, { error: "Too many connected users" });
    server.handleUpgrade(rawRequest(request), duplex, head, (websocket) => {
      const socket = new RealtimeSocket(
        hub,
        websocket,
        duplex,
        version as Serializer,
        token,
        customHeaders(request),
        request.foreign,
      );
      sockets.add(socket);
      websocket.once("close", () => {
        sockets.delete(socket);
        socket.end();
      });
    });
  };

  return {
    async handle(request) {
      const response = await handleApi(hub, request);
      if (response) return response;
      request.body.resume();
      if (request.path.startsWith("/longpoll")) {
        return jsonResponse(501, {
          error: "The long-poll transport is not built: connect with a WebSocket.",
        });
      }
      if (request.path.startsWith("/websocket")) {
        return jsonResponse(426, { error: "This address takes WebSockets only." }, { upgrade: "websocket" });
      }
      return jsonResponse(404, { error: "Not Found" });
    },

    upgrade(request, duplex, head) {
      accept(request, duplex, head).catch((error: unknown) => {
        context.log.error("A handshake failed.", { error: String(error) });
        refuseUpgrade(duplex, 500, { error: "Error connecting to Realtime" });
      });
    },

    async figures() {
      const held = await hub.feed.heldBytes();
      return { sockets: sockets.size, channels: hub.channels.size, heldLogBytes: held ?? null };
    },

    async close() {
      clearInterval(checks);
      for (const socket of sockets) socket.close(CLOSE_RESTART, "");
      for (const socket of sockets) socket.end();
      server.close();
      await hub.close();
    },
  };
}

/** The token of a handshake: an `x-api-key` header takes precedence over the gateway's key. */
function keyOf(request: ServiceRequest, { keys }: ServiceContext): string | undefined {
  const header = request.headers["x-api-key"];
  const own = Array.isArray(header) ? header[0] : header;
  if (own === undefined) return request.authorization?.replace(/^Bearer\s+/i, "");
  const role = keys.roleOfApiKey(own);
  return role ? keys.jwtOfRole(role) : own;
}

/** The handshake's headers that policies can read. */
function customHeaders(request: ServiceRequest): Record<string, unknown> {
  return Object.fromEntries(Object.entries(request.headers).filter(([name]) => name.startsWith("x-")));
}

/** `ws` uses Node's request only for method and headers. */
function rawRequest(request: ServiceRequest): Parameters<WebSocketServer["handleUpgrade"]>[0] {
  return request.body as Parameters<WebSocketServer["handleUpgrade"]>[0];
}
