/**
 * Owns: the seconds that a person needs for a task on a phone, by the keystroke-level model: the operators of the task,
 * each with its published mean, added up (Card, Moran, Newell: "The keystroke-level model for user performance time with
 * interactive systems", Communications of the ACM 23(7), 1980, doi:10.1145/358886.358895). It is an estimate for people
 * who make no mistake; the authors found it to be about a fifth off. It knows nothing of who looks something up in
 * between or cannot think of a name.
 */

/** Seconds, from the paper unless another source is named. */
export const operators = {
  /** M: mental preparation, before each tap and each text. */
  prepare: 1.35,
  /** P: to point to a target; the paper's mean for a mouse, which a finger is faster than. */
  point: 1.1,
  /** K of a button: to press what was pointed to. */
  press: 0.2,
  /**
   * K of a phone's keyboard: people who type with one finger write 29 words of five characters a minute, which is the
   * slowest group (Palin, Feit, Kim, Kristensson, Oulasvirta: "How do people type on mobile devices? Observations from a
   * study with 37,000 volunteers", MobileHCI 2019, doi:10.1145/3338286.3340120).
   */
  key: 60 / (29 * 5),
  /** To take in what a new screen asks: the upper end of the paper's 2 to 3 s where the task is written down. */
  screen: 3,
} as const;

/** What a person does in a task. */
export interface Task {
  taps: number;
  /** Fields that are typed into. A tap into each is added: not every phone opens its keyboard by itself. */
  fields: number;
  keystrokes: number;
  /** Screens that are new to the person, the first one included. */
  screens: number;
}

export interface Seconds {
  tapping: number;
  typing: number;
  reading: number;
  total: number;
}

/** The seconds that the person needs; the app's own time is not among them. */
export function secondsByHand({ taps, fields, keystrokes, screens }: Task): Seconds {
  const tapping = (taps + fields) * (operators.prepare + operators.point + operators.press);
  const typing = keystrokes * operators.key;
  const reading = screens * operators.screen;
  return { tapping, typing, reading, total: tapping + typing + reading };
}

/** "33.7 s by hand: 15.9 s tapping, …; the app took 1.2 s in this run" */
export function reportOf({ tapping, typing, reading, total }: Seconds, waitedMs: number): string {
  const say = (seconds: number) => `${seconds.toFixed(1)} s`;
  return `${say(total)} by hand: ${say(tapping)} tapping, ${say(typing)} typing, ${say(reading)} reading; the app took ${say(waitedMs / 1000)} in this run`;
}
