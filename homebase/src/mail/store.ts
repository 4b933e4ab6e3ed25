/**
 * Owns the mails of a Backend's inbox, newest first and limited in number, and its listeners. With a folder
 * they survive a restart.
 */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "../core/clock.ts";
import { privateFolder } from "../core/private-folder.ts";
import type { OutgoingMail } from "../service-context.ts";
import { isMessage, type Message, toMessage } from "./message.ts";

/** Maximum number of mails; older ones are deleted. */
const CAPACITY = 500;

interface MailStoreOptions {
  clock: Clock;
  /** Folder of the mails' files; in memory only when undefined. */
  folder?: string;
  capacity?: number;
}

/** The mails, and the listeners for changes. */
export class MailStore {
  #messages: Message[];
  readonly #clock: Clock;
  readonly #folder: string | undefined;
  readonly #capacity: number;
  readonly #listeners = new Set<() => void>();
  #changes: Promise<void> = Promise.resolve();

  constructor({ clock, folder, capacity = CAPACITY }: MailStoreOptions) {
    this.#clock = clock;
    this.#folder = folder;
    this.#capacity = capacity;
    this.#messages = folder ? load(folder).slice(0, capacity) : [];
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** Stores a mail; resolves when it is stored. */
  async add(mail: OutgoingMail): Promise<Message> {
    const message = toMessage(mail, this.#clock.now());
    this.#messages.unshift(message);
    const gone = this.#messages.splice(this.#capacity);
    await this.#write(message);
    await this.#erase(gone);
    this.#tell();
    return message;
  }

  /** A mail by its ID; `latest` is the newest. */
  find(id: string): Message | undefined {
    return id === "latest" ? this.#messages[0] : this.#messages.find((message) => message.id === id);
  }

  async markRead(messages: readonly Message[], read: boolean): Promise<void> {
    const changed = messages.filter((message) => message.read !== read);
    for (const message of changed) message.read = read;
    await Promise.all(changed.map((message) => this.#write(message)));
    if (changed.length > 0) this.#tell();
  }

  async remove(messages: readonly Message[]): Promise<void> {
    const gone = new Set(messages);
    this.#messages = this.#messages.filter((message) => !gone.has(message));
    await this.#erase([...gone]);
    this.#tell();
  }

  /** Lets `work` change the folder while nothing is written to it, and reads the mails again. */
  reread(work: () => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      try {
        await work();
      } finally {
        if (this.#folder) this.#messages = load(this.#folder).slice(0, this.#capacity);
        this.#tell();
      }
    });
  }

  /** Calls `listener` on every change; returns a function that unsubscribes. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #write(message: Message): Promise<void> {
    const folder = this.#folder;
    if (!folder) return Promise.resolve();
    return this.#inTurn(async () => {
      // Removed meanwhile: it must not reappear at the next start.
      if (!this.#messages.includes(message)) return;
      const file = join(folder, `${message.id}.json`);
      await writeFile(`${file}.new`, JSON.stringify(message), { mode: 0o600 });
      await rename(`${file}.new`, file);
    });
  }

  #erase(messages: readonly Message[]): Promise<void> {
    const folder = this.#folder;
    if (!folder || messages.length === 0) return Promise.resolve();
    return this.#inTurn(async () => {
      await Promise.all(messages.map(({ id }) => rm(join(folder, `${id}.json`), { force: true })));
    });
  }

  /** Changes of the folder are serialised: two of one mail would remove each other's file. */
  #inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.#changes.then(change);
    this.#changes = done.catch(() => {});
    return done;
  }
}

function load(folder: string): Message[] {
  mkdirSync(dirname(folder), { recursive: true });
  privateFolder(folder);
  const messages: Message[] = [];
  for (const name of readdirSync(folder)) {
    if (!name.endsWith(".json")) continue;
    try {
      const message: unknown = JSON.parse(readFileSync(join(folder, name), "utf8"));
      if (isMessage(message) && name === `${message.id}.json`) messages.push(message);
    } catch {
      // An incomplete file of a killed run is skipped.
    }
  }
  return messages.sort((a, b) => b.created.localeCompare(a.created));
}
