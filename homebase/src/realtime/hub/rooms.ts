/**
 * Owns delivery: channels of the same name and privacy form a room; a message is encoded once per wire format
 * and sent to every socket.
 */
import { MOST_RECEIVERS, type Receiver } from "../../core/happenings.ts";
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
  readonly receiver: Receiver;
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

/** To how many a broadcast went, and who may not read it. */
export interface Delivery {
  joined: number;
  sent: number;
  hidden: number;
  /** Some of the hidden. */
  refused: Receiver[];
}

/** A broadcast to a room that nobody is in. */
export const NOBODY: Delivery = { joined: 0, sent: 0, hidden: 0, refused: [] };

/** A named room. */
export class Room {
  readonly members = new Set<Member>();
  readonly presences = new Presences();

  /** A text push, passed on unchanged as event `broadcast`. */
  broadcastText(topic: string, payload: RawJson, except: Member | undefined): Delivery {
    const write = frameOnce(topic, "broadcast", payload);
    return this.#toReaders(except, (member) => {
      member.sendEncoded(write(member.serializer));
      return true;
    });
  }

  /** A user broadcast: kind 4 for sockets of serializer 2.0.0, text for the others when it is JSON. */
  broadcastUser(topic: string, broadcast: Broadcast, except: Member | undefined): Delivery {
    const { event, meta, encoding, payload, storedId } = broadcast;
    const named = writeUserBroadcast(topic, event, meta, encoding, payload);
    const binary = named && encodeFrame(named);
    const text = frameOnce(topic, "broadcast", () => broadcastBody(broadcast));
    return this.#toReaders(except, (member) => {
      if (storedId !== undefined && member.replayed.has(storedId)) return true;
      const frame = member.serializer === "2.0.0" ? binary : encoding === ENCODING_JSON && text("1.0.0");
      if (frame) member.sendEncoded(frame);
      return frame !== undefined && frame !== false;
    });
  }

  /** @param send says whether the member's wire format can have the message. */
  #toReaders(except: Member | undefined, send: (member: Member) => boolean): Delivery {
    const delivery: Delivery = { joined: this.members.size, sent: 0, hidden: 0, refused: [] };
    for (const member of this.members) {
      if (member === except) delivery.joined -= 1;
      else if (!member.hearsBroadcast) {
        delivery.hidden += 1;
        if (delivery.refused.length < MOST_RECEIVERS) delivery.refused.push(member.receiver);
      } else if (send(member)) delivery.sent += 1;
    }
    return delivery;
  }

  /** @returns how many it was sent to. */
  presenceDiff(topic: string, diff: unknown): number {
    const write = frameOnce(topic, "presence_diff", diff);
    let sent = 0;
    for (const member of this.members) {
      if (!member.hearsPresence) continue;
      member.sendEncoded(write(member.serializer));
      sent += 1;
    }
    return sent;
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

/** A room as it is now. */
export interface RoomFigures {
  topic: string;
  private: boolean;
  members: number;
}

/** All rooms of a Backend. Public and private channels of one name are two rooms. */
export class Rooms {
  readonly #rooms = new Map<string, Room>();

  figures(): RoomFigures[] {
    return [...this.#rooms].map(([id, { members }]) => ({
      topic: id.slice(id.indexOf(":") + 1),
      private: id.startsWith("private:"),
      members: members.size,
    }));
  }

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
