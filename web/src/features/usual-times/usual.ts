/** Owns: a person's usual times, and finding the one for a plan's time. Pure. */
import * as z from "zod/mini";
import { dateOf, wallClockOf } from "../../lib/time.ts";

export const parts = ["lunch", "dinner"] as const;
export type Part = (typeof parts)[number];
/** ISO weekdays: 1 is Monday. */
export const weekdays = [1, 2, 3, 4, 5, 6, 7] as const;

export const usualTimeSchema = z.object({
  weekday: z.int(),
  part: z.enum(parts),
  answer: z.enum(["yes", "if_need_be", "no"]),
});
export type UsualTime = z.infer<typeof usualTimeSchema>;

/** Lunch begins from 11:00, dinner from 16:00 until 4:00, which still belongs to the evening before. */
const [NIGHT_ENDS, LUNCH_FROM, DINNER_FROM] = [4, 11, 16] as const;

/** The usual answer to a meal that begins at an instant, by the person's own clock; null where none is set. */
export function usualAnswer(
  usual: readonly UsualTime[],
  startsAt: string,
  zone: string,
): UsualTime["answer"] | null {
  const hour = Number(wallClockOf(startsAt, zone).slice(0, 2));
  if (hour >= NIGHT_ENDS && hour < LUNCH_FROM) return null;
  const part = hour >= LUNCH_FROM && hour < DINNER_FROM ? "lunch" : "dinner";
  const day = new Date(`${dateOf(startsAt, zone)}T00:00:00Z`).getUTCDay() || 7;
  const weekday = hour < NIGHT_ENDS ? ((day + 5) % 7) + 1 : day;
  return usual.find((one) => one.weekday === weekday && one.part === part)?.answer ?? null;
}
