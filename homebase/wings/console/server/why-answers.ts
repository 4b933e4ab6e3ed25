/** Owns the gates of a request and why an answer is as it is, as the page gets them: types alone. */

/** What a gate did with a request; `unknown` is drawn as "not asked". */
export type Mark = "open" | "part" | "shut" | "unknown";

/** One of the places that a request passes on its way, in their order. */
export interface Gate {
  name: string;
  mark: Mark;
  text: string;
  /** The rows that a policy hid, of how many; known after `why`. */
  hidden?: number | undefined;
  of?: number | undefined;
}

/** Why an answer is as it is. */
export interface Why {
  sentences: string[];
  /** The record's gates, with what the policies decided today. */
  gates: Gate[];
  /** As the command prints it. */
  text: string;
}
