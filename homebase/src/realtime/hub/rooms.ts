/**
 * Owns delivery: channels of the same name and privacy form a room; a message is encoded once per wire format
 * and sent to every socket.
 */
import {
  ENCODING_JSON,
  encodeFrame,
  RawJson,
  type Serializer,
  writeText,
  writeUserBroadcast,
} from "../kit/frames.ts";
import { Presences } from "./presence.ts";

/** A channel as its room sees it. */
export interface Member {
  readonly serializer: Serializer;
  readonly topic: string;
  /** Whether it may read broadcasts: always on public channels. */
  readonly hearsBroadcast: boolean;
  readonly hearsPresence: boolean;
  /** Ids of stored messages that were already replayed to it. */
  readonly replayed: ReadonlySet<string>;
  /** Sends a frame of `encodeFrame`. */
  sendEncoded(frame: Buffer): void;
}

/** A broadcast to a room. */
export interface Broadcast {
  event: string;
  /** Bytes of the payload. */
  payload: Buffer;
  encoding: 0 | 1;
  /** JSON text of `meta`, "" for none. */
  meta: string;
  /** The id of a stored message: a channel that replayed it does not receive it again. */
  storedId?: string;
}

/** A named room. */
export class Room {
  readonly members = new Set<Member>();
  readonly presences = new Presences();

  /** A text push, passed on unchanged as event `broadcast`. */
  broadcastText(topic: string, payload: RawJson, except: Member | undefined): void {
    const write = frameOnce(topic, "broadcast", payload);
    for (const member of this.members) {
      if (member !== except && member.hearsBroadcast) member.sendEncoded(write(member.serializer));
    }
  }

  /** A user broadcast: kind 4 for sockets of serializer 2.0.0, text for the others when it is JSON. */
  broadcastUser(topic: string, broadcast: Broadcast, except: Member | undefined): void {
    const { event, meta, encoding, payload, storedId } = broadcast;
    const named = writeUserBroadcast(topic, event, meta, encoding, payload);
    const binary = named && encodeFrame(named);
    const text = frameOnce(topic, "broadcast", () => broadcastBody(broadcast));
    for (const member of this.members) {
      if (member === except || !member.hearsBroadcast) continue;
      if (storedId !== undefined && member.replayed.has(storedId)) continue;
      if (member.serializer === "1.0.0") {
        if (encoding === ENCODING_JSON) member.sendEncoded(text("1.0.0"));
      } else if (binary) member.sendEncoded(binary);
    }
  }

  presenceDiff(topic: string, diff: unknown): void {
    const write = frameOnce(topic, "presence_diff", diff);
    for (const member of this.members) if (member.hearsPresence) member.sendEncoded(write(member.serializer));
  }
}

/** A message to many sockets, encoded at most once for each serializer, when first needed. */
function frameOnce(topic: string, event: string, payload: unknown): (serializer: Serializer) => Buffer {
  const frames = new Map<Serializer, Buffer>();
  return (serializer) => {
    let frame = frames.get(serializer);
    if (!frame) {
      const body: unknown = typeof payload === "function" ? payload() : payload;
      frame = encodeFrame(writeText(serializer, null, null, topic, event, body));
      frames.set(serializer, frame);
    }
    return frame;
  };
}

/** A JSON broadcast in text format. */
export function broadcastBody(broadcast: Broadcast): RawJson {
  const meta = broadcast.meta ? `,"meta":${broadcast.meta}` : "";
  const event = JSON.stringify(broadcast.event);
  return new RawJson(
    `{"event":${event},"payload":${broadcast.payload.toString("utf8")},"type":"broadcast"${meta}}`,
  );
}

/** All rooms of a Backend. Public and private channels of one name are two rooms. */
export class Rooms {
  readonly #rooms = new Map<string, Room>();

  find(name: string, isPrivate: boolean): Room | undefined {
    return this.#rooms.get(key(name, isPrivate));
  }

  enter(name: string, isPrivate: boolean, member: Member): Room {
    const id = key(name, isPrivate);
    let room = this.#rooms.get(id);
    if (!room) {
      room = new Room();
      this.#rooms.set(id, room);
    }
    room.members.add(member);
    return room;
  }

  leave(name: string, isPrivate: boolean, member: Member): void {
    const id = key(name, isPrivate);
    const room = this.#rooms.get(id);
    room?.members.delete(member);
    if (room?.members.size === 0) this.#rooms.delete(id);
  }
}

function key(name: string, isPrivate: boolean): string {
  return `${isPrivate ? "private" : "public"}:${name}`;
}
