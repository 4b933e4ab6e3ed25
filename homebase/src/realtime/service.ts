/** Owns the realtime service: the handshake of sockets and the HTTP side (docs/compat/realtime.md 1 and 2). */

import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer } from "ws";
import { errorBoundary } from "../core/error-boundary.ts";
import {
  BodyTooLarge,
  jsonResponse,
  readBody,
  refuseUpgrade,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
} from "../http/exchange.ts";
import { Router } from "../http/router.ts";
import type { ServiceContext } from "../service-context.ts";
import { tokenOf } from "../tokens/verify-token.ts";
import { handleApi } from "./endpoints/http.ts";
import { Hub } from "./hub/hub.ts";
import type { RoomFigures } from "./hub/rooms.ts";
import type { Serializer } from "./kit/frames.ts";
import { defaultLimits, type Limits } from "./kit/limits.ts";
import { checkRealtimeToken, type Token, TokenRefused } from "./kit/socket-token.ts";
import { LongPolls } from "./socket/long-poll.ts";
import { RealtimeSocket } from "./socket/socket.ts";
import { type Transport, WebSocketTransport } from "./socket/transport.ts";

const transports = new Router<"long poll" | "websocket", "rest">([
  ["*", "/longpoll", "long poll"],
  ["*", "/longpoll/", "long poll"],
  ["*", "/websocket", "websocket"],
  ["*", "/websocket/*rest", "websocket"],
]);
const transportOf = ({ path }: ServiceRequest) => transports.match("*", path)?.handler;

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
  /** The topics that clients have joined. */
  rooms(): RoomFigures[];
}

/** Creates the realtime service of a Backend. */
export async function createRealtimeService(
  context: ServiceContext,
  limits: Limits = {
    ...defaultLimits,
    messagesPerSecond: context.config.realtime.max_events_per_second,
  },
): Promise<RealtimeService> {
  const hub = new Hub(context, limits);
  const sockets = new Set<RealtimeSocket>();
  const server = new WebSocketServer({
    noServer: true,
    WebSocket: ClientSocket,
    clientTracking: false,
    maxPayload: limits.frameBytes,
    perMessageDeflate: false,
  });
  const checks = setInterval(
    errorBoundary(context.log, "the check of sockets", () => {
      const now = performance.now();
      for (const socket of sockets) socket.check(now);
    }),
    Math.min(CHECK_MS, limits.idleMilliseconds),
  );
  checks.unref();

  const polls = new LongPolls(context.log);

  /** Checks a handshake. @throws HandshakeRefused */
  const admit = async (request: ServiceRequest): Promise<{ version: Serializer; token: Token }> => {
    const version = new URLSearchParams(request.query).get("vsn") ?? "1.0.0";
    if (version !== "1.0.0" && version !== "2.0.0") throw new HandshakeRefused(403);
    const given = keyOf(request, context);
    if (!given) throw new HandshakeRefused(401, "API key is missing");
    const token = await checkRealtimeToken(given, context, request).catch((error: unknown) => {
      if (error instanceof TokenRefused) throw new HandshakeRefused(401, error.message);
      throw new HandshakeRefused(500, "Error connecting to Realtime");
    });
    if (hub.joined.size >= limits.connections || sockets.size >= limits.sockets)
      throw new HandshakeRefused(429, "Too many connected users");
    return { version, token };
  };
  const connect = (
    transport: Transport,
    request: ServiceRequest,
    { version, token }: Awaited<ReturnType<typeof admit>>,
  ) => {
    const socket = new RealtimeSocket(
      hub,
      transport,
      version,
      token,
      customHeaders(request),
      request.foreign,
    );
    sockets.add(socket);
    return socket;
  };
  const disconnect = (socket: RealtimeSocket | undefined) => {
    if (!socket) return;
    sockets.delete(socket);
    socket.end();
  };

  // Made once: a function for each socket would keep the request that the socket came by.
  const receive = errorBoundary(
    context.log,
    "a socket's message",
    function (this: WebSocket, data: Buffer, isBinary: boolean) {
      try {
        (this as ClientSocket).realtime?.receive(data, isBinary);
      } catch (error) {
        this.terminate();
        throw error;
      }
    },
  );
  const receiveInTurn = errorBoundary(
    context.log,
    "a socket's turn",
    function (this: WebSocket, data: Buffer, isBinary: boolean) {
      if (hub.turns.take(this, () => receive.call(this, data, isBinary)) || this.isPaused) return;
      // Nothing more is read from it until its messages have been handled.
      this.pause();
      hub.turns.take(this, () => this.resume());
    },
  );
  const leave = errorBoundary(context.log, "a socket's end", function (this: WebSocket) {
    disconnect((this as ClientSocket).realtime);
  });
  const leaveInTurn = errorBoundary(context.log, "a socket's last turn", function (this: WebSocket) {
    hub.turns.take(this, () => leave.call(this));
  });

  const accept = async (request: ServiceRequest, duplex: Duplex, head: Buffer): Promise<void> => {
    if (transportOf(request) !== "websocket") return refuseUpgrade(duplex, 404, { error: "Not Found" });
    const admitted = await admit(request);
    server.handleUpgrade(rawRequest(request), duplex, head, (websocket) => {
      websocket.realtime = connect(new WebSocketTransport(websocket, duplex), request, admitted);
      websocket.on("message", receiveInTurn);
      // `ws` sends a close code with the reason itself, e.g. for a frame that is too large.
      websocket.on("error", ignore);
      websocket.on("close", leaveInTurn);
    });
  };

  const longPoll = async (request: ServiceRequest): Promise<ServiceResponse> => {
    const session = new URLSearchParams(request.query).get("token");
    if (request.method === "POST") {
      const type = request.headers["content-type"] ?? "";
      return polls.publish(session, await readBody(request, limits.frameBytes), String(type), hub.turns);
    }
    request.body.resume();
    if (request.method !== "GET") return jsonResponse(400, { error: "Long polling takes GET and POST." });
    const waited = await polls.poll(session, request.signal);
    if (waited) return waited;
    try {
      const admitted = await admit(request);
      let socket: RealtimeSocket | undefined;
      return polls.open(
        (transport) => {
          socket = connect(transport, request, admitted);
          return socket;
        },
        () => disconnect(socket),
      );
    } catch (error) {
      if (error instanceof HandshakeRefused) return polls.refuse();
      throw error;
    }
  };

  return {
    async handle(request) {
      const response = await handleApi(hub, request);
      if (response) return response;
      const transport = transportOf(request);
      if (transport === "long poll") {
        return longPoll(request).catch((error: unknown) => {
          if (error instanceof BodyTooLarge) return jsonResponse(413, { error: error.message });
          throw error;
        });
      }
      request.body.resume();
      if (transport === "websocket") {
        return jsonResponse(426, { error: "This address takes WebSockets only." }, { upgrade: "websocket" });
      }
      return jsonResponse(404, { error: "Not Found" });
    },

    upgrade(request, duplex, head) {
      accept(request, duplex, head).catch((error: unknown) => {
        if (error instanceof HandshakeRefused) {
          refuseUpgrade(duplex, error.status, error.message === "" ? undefined : { error: error.message });
          return;
        }
        context.log.error("A handshake failed.", { error: String(error) });
        refuseUpgrade(duplex, 500, { error: "Error connecting to Realtime" });
      });
    },

    async figures() {
      const held = await hub.feed.heldBytes();
      return { sockets: sockets.size, channels: hub.channels.size, heldLogBytes: held ?? null };
    },

    rooms: () => hub.rooms.figures(),

    async close(reason = "") {
      clearInterval(checks);
      polls.close();
      for (const socket of sockets) socket.close(CLOSE_RESTART, reason);
      for (const socket of sockets) socket.end();
      server.close();
      await hub.close();
    },
  };
}

/** A client's WebSocket, with what it carries. */
class ClientSocket extends WebSocket {
  realtime: RealtimeSocket | undefined;
}

function ignore(): void {}

/** A handshake that is refused; the message is for the client, and may be empty. */
class HandshakeRefused extends Error {
  readonly status: number;
  constructor(status: number, message = "") {
    super(message);
    this.status = status;
  }
}

/** The token of a handshake: an `x-api-key` header takes precedence over the gateway's key. */
function keyOf(request: ServiceRequest, { keys }: ServiceContext): string | undefined {
  const header = request.headers["x-api-key"];
  const own = Array.isArray(header) ? header[0] : header;
  if (own === undefined) return request.authorization && tokenOf(request.authorization);
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
