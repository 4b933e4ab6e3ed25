/**
 * Owns who hears what: channels of the same name and privacy form a room; a message is written once per
 * wire format and handed to every socket.
 */
import { ENCODING_JSON, RawJson, type Serializer, writeText, writeUserBroadcast } from "./frames.ts";
import { Presences } from "./presence.ts";

/** A channel as its room sees it. */
export interface Member {
  readonly serializer: Serializer;
  readonly topic: string;
  /** Whether broadcasts may be read: always on public channels. */
  readonly hearsBroadcast: boolean;
  readonly hearsPresence: boolean;
  /** Ids of stored messages already replayed to it. */
  readonly replayed: ReadonlySet<string>;
  send(frame: string | Buffer): void;
}

/** A broadcast on its way into a room. */
export interface Broadcast {
  event: string;
  /** Bytes of the payload. */
  payload: Buffer;
  encoding: 0 | 1;
  /** JSON text of `meta`, "" for none. */
  meta: string;
  /** The id of a stored message: whoever had it replayed does not get it again. */
  storedId?: string;
}

/** A named room. */
export class Room {
  readonly members = new Set<Member>();
  readonly presences = new Presences();

  /** A text push, passed on verbatim as event `broadcast`. */
  broadcastText(topic: string, payload: RawJson, except: Member | undefined): void {
    const frames = new Map<Serializer, string>();
    for (const member of this.members) {
      if (member === except || !member.hearsBroadcast) continue;
      let frame = frames.get(member.serializer);
      if (frame === undefined) {
        frame = writeText(member.serializer, null, null, topic, "broadcast", payload);
        frames.set(member.serializer, frame);
      }
      member.send(frame);
    }
  }

  /** A user broadcast: kind 4 to sockets of serializer 2.0.0, text to the others when it is JSON. */
  broadcastUser(topic: string, broadcast: Broadcast, except: Member | undefined): void {
    let binary: Buffer | undefined;
    let text: string | undefined;
    for (const member of this.members) {
      if (member === except || !member.hearsBroadcast) continue;
      if (broadcast.storedId !== undefined && member.replayed.has(broadcast.storedId)) continue;
      if (member.serializer === "2.0.0") {
        binary ??= writeUserBroadcast(
          topic,
          broadcast.event,
          broadcast.meta,
          broadcast.encoding,
          broadcast.payload,
        );
        if (binary) member.send(binary);
      } else if (broadcast.encoding === ENCODING_JSON) {
        text ??= writeText("1.0.0", null, null, topic, "broadcast", broadcastBody(broadcast));
        member.send(text);
      }
    }
  }

  presenceDiff(topic: string, diff: unknown): void {
    const frames = new Map<Serializer, string>();
    for (const member of this.members) {
      if (!member.hearsPresence) continue;
      let frame = frames.get(member.serializer);
      if (frame === undefined) {
        frame = writeText(member.serializer, null, null, topic, "presence_diff", diff);
        frames.set(member.serializer, frame);
      }
      member.send(frame);
    }
  }
}

/** A JSON broadcast as the text form has it. */
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
