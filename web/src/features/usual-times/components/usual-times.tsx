/** Owns: the person's usual times under Me: a table of choices, each saved at once. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { leafOf, weekdayOf } from "../../../lib/time.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { saveUsualTime, usualQueries } from "../queries.ts";
import { type Part, parts, type UsualTime, weekdays } from "../usual.ts";
import { usualWords } from "../words.ts";

interface Change {
  weekday: number;
  part: Part;
  answer: UsualTime["answer"] | null;
}

export function UsualTimes({ me }: { me: string }) {
  const words = usualWords();
  const queries = useQueryClient();
  const query = usualQueries.mine(me);
  const usual = useQuery(query);
  const save = useMutation({
    mutationFn: ({ weekday, part, answer }: Change) => saveUsualTime(me, weekday, part, answer),
    // Shown at once; the read that follows shows what was stored.
    onMutate: ({ weekday, part, answer }) =>
      queries.setQueryData(query.queryKey, (before = []) => [
        ...before.filter((one) => one.weekday !== weekday || one.part !== part),
        ...(answer ? [{ weekday, part, answer }] : []),
      ]),
    onSettled: () => queries.invalidateQueries({ queryKey: query.queryKey }),
  });
  return (
    <section aria-label={words.title} className="paper flex flex-col gap-3 p-5">
      <h2 className="text-lg">{words.title}</h2>
      <p className="text-ink-soft">{words.text}</p>
      <Loaded query={usual} what={words.loading} shapes={["h-80"]}>
        {(data) => (
          <table className="w-full table-fixed border-separate border-spacing-y-1 text-sm">
            <thead>
              <tr>
                <td className="w-11" />
                {parts.map((part) => (
                  <th key={part} scope="col" className="px-1 text-left font-semibold">
                    {words.parts[part]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {weekdays.map((weekday) => {
                // 2024-01-01 was a Monday.
                const day = `2024-01-0${weekday}T12:00:00Z`;
                const name = weekdayOf(day, "UTC");
                return (
                  <tr key={weekday}>
                    <th scope="row" aria-label={name} className="text-left font-semibold">
                      {leafOf(day, "UTC").weekday}
                    </th>
                    {parts.map((part) => (
                      <td key={part} className="px-1">
                        <select
                          aria-label={words.cell(name, words.parts[part])}
                          value={
                            data.find((one) => one.weekday === weekday && one.part === part)?.answer ?? ""
                          }
                          onChange={({ target: { value } }) =>
                            save.mutate({ weekday, part, answer: answerOf(value) })
                          }
                          className="min-h-11 w-full min-w-0 rounded-s border border-edge bg-card px-1.5"
                        >
                          <option value="">{words.none}</option>
                          {answers.map((answer) => (
                            <option key={answer} value={answer}>
                              {words.answers[answer]}
                            </option>
                          ))}
                        </select>
                      </td>
                    ))}
                  </tr>
                );
              })}
            </tbody>
          </table>
        )}
      </Loaded>
      {save.isError ? <ErrorNotice error={save.error} /> : null}
      <p role="status" className="text-sm text-yes empty:hidden">
        {save.isSuccess ? words.saved : ""}
      </p>
    </section>
  );
}

const answers = ["yes", "if_need_be", "no"] as const;

function answerOf(value: string): UsualTime["answer"] | null {
  return answers.find((answer) => answer === value) ?? null;
}
