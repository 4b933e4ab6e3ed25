/** Owns saving the stack's state and going back to a saved one, by what a wing offers, and what a page is told meanwhile. */
import { UserError } from "../../../../src/core/user-error.ts";
import type { DeveloperStart } from "../../../../src/developer/stack-wing.ts";
import type { SnapshotAct, SnapshotStates } from "../api.ts";
import { CallRefused } from "../call-refused.ts";

export class SavedStates {
  readonly #start: Pick<DeveloperStart, "snapshots">;
  #act: SnapshotAct | undefined;
  #last: SnapshotStates["last"];

  constructor(start: Pick<DeveloperStart, "snapshots">) {
    this.#start = start;
  }

  async read(): Promise<SnapshotStates> {
    const offered = await this.#offered();
    const progress = await offered.progress();
    const working = progress && { act: this.#act, ...progress };
    return { snapshots: offered.list(), working, last: this.#last };
  }

  /** @param signal of the page: the act goes on without it, and its failure is told to the next one. @throws CallRefused, UserError */
  async act(act: SnapshotAct, signal: AbortSignal): Promise<Record<string, never>> {
    const offered = await this.#offered();
    if (this.#act)
      throw new CallRefused(409, `${this.#act.name} is being worked on. Wait until that has ended.`);
    this.#act = act;
    this.#last = undefined;
    try {
      const restored = act.do === "restore" ? await offered.restore(act.name) : undefined;
      if (!restored) await offered[act.do](act.name);
      const { applied = [], failed } = restored ?? {};
      const failure = failed && `The state of ${act.name} is in place, but without this: ${failed}`;
      this.#last = { ...act, failure, applied };
      return {};
    } catch (error) {
      if (error instanceof UserError && signal.aborted)
        this.#last = { ...act, failure: error.message, applied: [] };
      throw error;
    } finally {
      this.#act = undefined;
    }
  }

  async #offered() {
    const offered = await this.#start.snapshots?.();
    if (offered) return offered;
    throw new CallRefused(404, "This stack saves no states.");
  }
}
