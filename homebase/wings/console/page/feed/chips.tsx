/** Owns the strip above the Feed: what channels, functions and jobs there are now, and what can be done with each. */
import type { Live, Outgoing, Who } from "../../server/api.ts";
import { call } from "../app/way-in.ts";
import { Button } from "../parts/controls.tsx";
import { Alert } from "../parts/detail-frame.tsx";
import { useAnswer, useAttempt } from "../parts/use-answer.ts";
import { counted, duration } from "../parts/words.ts";

const EVERY_MS = 5_000;
const OF = {
  channels: /(?:^|\s)(?:service:realtime|channel:)/,
  functions: /(?:^|\s)(?:service:functions|function:)/,
  jobs: /(?:^|\s)(?:is:job|job:)/,
} as const;
type Kind = keyof typeof OF;

/** A request that a chip begins, as the form of *Send again* shows it. */
export interface Begun {
  title: string;
  form: Outgoing;
  as: Who["kind"];
}

interface Chip {
  name: string;
  note: string;
  filter: string;
  /** Absent where nothing can be done with it. */
  act?: { label: string; begun: Begun } | { label: string; job: string };
}

/** Which strip a filter shows. */
export function stripOf(filter: string): Kind | undefined {
  return (Object.keys(OF) as Kind[]).find((kind) => OF[kind].test(filter));
}

interface ChipsProps {
  kind: Kind;
  filter: string;
  onFilter(filter: string): void;
  onBegin(begun: Begun): void;
}

export function Chips({ kind, filter, onFilter, onBegin }: ChipsProps) {
  const { failure: refused, attempt } = useAttempt();
  const { answer: live, failure = refused, again } = useAnswer("live", {}, { every: EVERY_MS });
  const run = (id: string) => attempt(() => call("runJob", { id })).then(again);
  const chips = live && CHIPS[kind](live);
  return (
    <div className="chips" role="group" aria-label={`${kind} now`}>
      {chips?.map(({ name, note, filter: own, act }) => (
        <span key={own + name}>
          <Button
            label={
              <>
                {name} <small>{note}</small>
              </>
            }
            aria-pressed={filter === own}
            onClick={() => onFilter(filter === own ? ALL[kind] : own)}
          />
          {act && (
            <Button
              label={act.label}
              aria-label={`${act.label}: ${name}`}
              onClick={() => ("job" in act ? void run(act.job) : onBegin(act.begun))}
            />
          )}
        </span>
      ))}
      {chips?.length === 0 && <p>{NONE[kind]}</p>}
      <Alert text={failure} />
    </div>
  );
}

const ALL: Readonly<Record<Kind, string>> = {
  channels: "service:realtime",
  functions: "service:functions",
  jobs: "is:job",
};
const NONE: Readonly<Record<Kind, string>> = {
  channels: "Nobody is in a channel now.",
  functions: "The project has no functions.",
  jobs: "Nothing is scheduled.",
};

const CHIPS: Readonly<Record<Kind, (live: Live) => Chip[]>> = {
  channels: ({ channels }) =>
    channels.map(({ topic, private: isPrivate, members }) => ({
      name: topic,
      note: `${counted(members, "member")}${isPrivate ? ", private" : ""}`,
      filter: `${ALL.channels} channel:${firstWord(topic)}`,
      act: {
        label: "Send a message",
        begun: begun(
          `Send a message to ${topic}`,
          `/realtime/v1/api/broadcast/${encodeURIComponent(topic)}/events/message${isPrivate ? "?private=true" : ""}`,
        ),
      },
    })),
  functions: ({ functions }) =>
    functions.map(({ name, state }) => ({
      name,
      note: state,
      filter: `${ALL.functions} function:${name}`,
      ...(state === "disabled"
        ? {}
        : { act: { label: "Call", begun: begun(`Call ${name}`, `/functions/v1/${name}`) } }),
    })),
  jobs: ({ jobs }) =>
    jobs.map(({ id, name, schedule, active, due }) => ({
      name,
      note: active ? `${schedule}, ${nextText(due)}` : `${schedule}, not active`,
      filter: `${ALL.jobs} job:${id}`,
      ...(active ? { act: { label: "Run now", job: id } } : {}),
    })),
};

function begun(title: string, path: string): Begun {
  const headers = { "content-type": "application/json" };
  return { title, form: { method: "POST", path, headers, body: "{}" }, as: "secret" };
}

/** A filter's words end at a space. */
function firstWord(topic: string): string {
  return topic.split(/\s/, 1)[0] ?? "";
}

function nextText(due: number | undefined): string {
  return due === undefined ? "at the next start" : `next in ${duration(due - Date.now())}`;
}
