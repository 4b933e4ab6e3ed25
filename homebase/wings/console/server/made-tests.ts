/** Owns tests that requests become: each is shown with whether it passes before it is saved. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { writeProjectFile } from "../../../src/config/project-paths.ts";
import type { DeveloperStart } from "../../../src/developer/stack-wing.ts";
import { askedOf, testOf } from "../../../src/explain/index.ts";
import type { ReadRecord } from "../../../src/http/records.ts";
import { failureOf, testFileOf } from "../../../src/tools/made-test.ts";
import { runningOptions } from "../../../src/tools/why-request.ts";
import type { MadeTest } from "./api.ts";
import { CallRefused } from "./call-refused.ts";
import { inDatabase } from "./owner-connections.ts";

/** As many as a person goes back to. */
const MOST_KEPT = 20;

export class MadeTests {
  readonly #start: DeveloperStart;
  /** By the id of the request. The page names a request, never a text that would be written. */
  readonly #made = new Map<string, MadeTest>();
  /** One at a time: each runs in a database of its own. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(start: DeveloperStart) {
    this.#start = start;
  }

  /** @throws UserError where no test can be made of it */
  async make(whole: ReadRecord, signal: AbortSignal): Promise<MadeTest> {
    const making = this.#last.then(() => {
      if (signal.aborted) throw new CallRefused(499, "The page has moved on.");
      return this.#make(whole);
    });
    this.#last = making.catch(() => undefined);
    return making;
  }

  async #make(whole: ReadRecord): Promise<MadeTest> {
    const { config } = this.#start.backend;
    const test = await inDatabase(this.#start, (client) =>
      testOf(client, askedOf(whole), runningOptions(this.#start.backend, config)),
    );
    const file = testFileOf(config, test);
    const failure = await failureOf(config, file, test);
    const exists = existsSync(resolve(config.projectFolder, file));
    const made: MadeTest = { ...test, file, exists, failure };
    this.#made.set(whole.id, made);
    const [oldest] = this.#made.keys();
    if (oldest !== undefined && this.#made.size > MOST_KEPT) this.#made.delete(oldest);
    return made;
  }

  /** Writes a test that was made and that passes. @throws CallRefused, UserError */
  save(id: string): { file: string } {
    const { projectFolder } = this.#start.backend.config;
    const made = this.#made.get(id);
    if (!made) throw new CallRefused(404, "Make the test again: the stack no longer keeps it.");
    if (made.failure !== undefined) throw new CallRefused(422, "A test that does not pass is not saved.");
    try {
      writeProjectFile(projectFolder, made.file, made.text, { flag: "wx" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      throw new CallRefused(409, `${made.file} is there already.`);
    }
    return { file: made.file };
  }
}
