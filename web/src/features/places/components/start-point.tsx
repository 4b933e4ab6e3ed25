/** Owns: setting a person's starting point, by address or device location. The server stores it on a 500 m grid. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { draftText, storeDraftText } from "../../../lib/device/drafts.ts";
import { AppError } from "../../../lib/errors.ts";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Form, focusFirstProblem } from "../../../ui/fields/form.tsx";
import { MapPinIcon } from "../../../ui/icons.ts";
import { ErrorNotice } from "../../../ui/notice.tsx";
import type { Position } from "../../map/geometry.ts";
import { saveStartPoint } from "../../people/mutations.ts";
import { peopleQueries } from "../../people/queries.ts";
import type { Spot } from "../look-up.ts";
import { whereAmI } from "../near.ts";
import { startWords } from "../words/start.ts";
import { LookUpResults } from "./look-up-results.tsx";

const DRAFT = "start-point";

/**
 * The text of the field. It has no position until one of the results is chosen, and is kept on this device only;
 * `refuse` says so at the field, and answers whether there is such a text.
 */
export function useStartText(me: string) {
  const form = useRef<HTMLFormElement>(null);
  const [typed, setTyped] = useState(() => draftText(me, DRAFT) ?? "");
  const [problem, setProblem] = useState<string>();
  return {
    form,
    typed,
    problem,
    type: (text: string) => {
      setTyped(text);
      setProblem(undefined);
      storeDraftText(me, DRAFT, text.trim() || null);
    },
    refuse: () => {
      if (typed.trim() === "") return false;
      setProblem(startWords().choose);
      focusFirstProblem(form.current);
      return true;
    },
  };
}

/** The fields and buttons, without heading or explanation. */
export function StartPointFields({ me, text }: { me: string; text: ReturnType<typeof useStartText> }) {
  const words = startWords();
  const queries = useQueryClient();
  const { typed, type } = text;
  const save = useMutation({
    mutationFn: async ({ at }: { at: Spot | null }) =>
      saveStartPoint(me, at?.city ? { city: at.name.slice(0, 80) } : (at ?? (await here()))),
    onSuccess: () => type(""),
    onSettled: () => invalidateTrips(queries),
  });
  return (
    <Form ref={text.form} noValidate className="flex flex-col gap-2" submit={text.refuse}>
      <Field
        label={words.type}
        help={words.typeHelp}
        value={typed}
        onChange={type}
        problem={text.problem}
        autoComplete="off"
        maxLength={160}
      />
      <LookUpResults words={typed} near={null} keep={false} own onPick={(at) => save.mutate({ at })} />
      <Button busy={save.isPending} onPress={() => save.mutate({ at: null })} className="self-start">
        <MapPinIcon aria-hidden className="size-5" /> {words.use}
      </Button>
      <p role="status" className="text-sm text-yes empty:hidden">
        {save.isSuccess ? savedText(save.variables.at) : ""}
      </p>
      {save.isError ? <ErrorNotice error={save.error} /> : null}
    </Form>
  );
}

export function StartPoint({ me }: { me: string }) {
  const words = startWords();
  const queries = useQueryClient();
  const point = useQuery(peopleQueries.startPoint(me));
  const text = useStartText(me);
  const remove = useMutation({
    mutationFn: () => saveStartPoint(me, null),
    onSettled: () => invalidateTrips(queries),
  });
  const { start_latitude, start_city } = point.data ?? {};
  const set = start_latitude != null || start_city != null;
  return (
    <section aria-label={words.title} className="paper flex flex-col gap-3 p-5">
      <h2 className="text-lg">{words.title}</h2>
      <p className="text-ink-soft">
        {start_city != null ? words.city(start_city) : `${words.text} ${set ? words.set : words.unset}`}
      </p>
      <StartPointFields me={me} text={text} />
      {set ? (
        <Button look="plain" busy={remove.isPending} onPress={() => remove.mutate()} className="self-start">
          {words.remove}
        </Button>
      ) : null}
      {remove.isError ? <ErrorNotice error={remove.error} /> : null}
    </section>
  );
}

function savedText(at: Spot | null): string {
  const words = startWords();
  if (at === null) return words.savedHere;
  return at.city ? words.savedCity(at.name) : words.saved(at.name);
}

function invalidateTrips(queries: ReturnType<typeof useQueryClient>) {
  return queries.invalidateQueries({
    predicate: ({ queryKey }) => queryKey[0] === "start-point" || queryKey[2] === "trips",
  });
}

async function here(): Promise<Position> {
  try {
    return await whereAmI();
  } catch (cause) {
    const words = startWords();
    throw new AppError("permission", "position_denied", words.denied, words.deniedHint, cause);
  }
}
