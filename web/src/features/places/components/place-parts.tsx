/** Owns: the details of a place that people may give later, each in a small form of its own. */
import { type ReactNode, useRef, useState } from "react";
import { useChange } from "../../../lib/change.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Form, focusFirstProblem, Submit } from "../../../ui/fields/form.tsx";
import { Select } from "../../../ui/fields/select.tsx";
import { Tick } from "../../../ui/fields/tick.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { checked, fieldsOf, type Problems } from "../draft.ts";
import type { PlaceFields } from "../form-schema.ts";
import { savePlace } from "../mutations.ts";
import { isPlaced, type WholePlace } from "../schema.ts";
import { placeFormWords } from "../words/form.ts";
import { placeWords } from "../words.ts";
import { zoneAt } from "../zone.ts";
import { HoursEditor } from "./hours-editor.tsx";
import { PositionField } from "./position-field.tsx";

/** The first is for an unknown price. */
const LEVELS = ["", "1", "2", "3", "4"] as const;

type Editor = (
  fields: PlaceFields,
  set: (change: Partial<PlaceFields>) => void,
  problems: Problems,
) => ReactNode;

/** @param own whether this person added the place: only they let everybody find it */
export function PlaceParts({ place, own }: { place: WholePlace; own: boolean }) {
  const words = placeFormWords();
  const known = {
    hours: place.place_hours.length > 0,
    price: place.price !== null,
    about: place.about !== "",
  };
  const addressed = place.address !== "" || isPlaced(place);
  return (
    <section aria-label={words.parts.heading} className="flex flex-wrap gap-2">
      <Part place={place} title={known.about ? words.parts.changeAbout : words.parts.about}>
        {(fields, set, problems) => <About fields={fields} set={set} problems={problems} />}
      </Part>
      {place.home ? null : (
        <Part place={place} title={addressed ? words.parts.changeAddress : words.parts.address}>
          {(fields, set, problems) => (
            <PositionField
              name={fields.name}
              address={fields.address}
              position={isPlaced(fields) ? fields : null}
              problem={problems.address}
              onChange={set}
            />
          )}
        </Part>
      )}
      <Part place={place} title={known.hours ? words.parts.changeHours : words.parts.hours}>
        {({ week }, set, problems) => (
          <HoursEditor
            week={week}
            onChange={(next) => set({ week: next })}
            problem={problems.week}
            problemDay={problems.weekday}
          />
        )}
      </Part>
      <Part place={place} title={known.price ? words.parts.changePrice : words.parts.price}>
        {({ price }, set) => (
          <Select
            label={words.price}
            value={LEVELS[price ?? 0] ?? ""}
            options={LEVELS.map((level) => [level, placeWords().prices[Number(level) - 1] ?? words.noPrice])}
            onChange={(level) => set({ price: level === "" ? null : Number(level) })}
          />
        )}
      </Part>
      {place.home ? null : (
        <Part
          place={place}
          title={place.phone || place.booking_url ? words.parts.changeContact : words.parts.contact}
        >
          {(fields, set, problems) => (
            <>
              <Field
                label={words.phone}
                type="tel"
                autoComplete="off"
                value={fields.phone}
                onChange={(phone) => set({ phone })}
                problem={problems.phone}
              />
              <Field
                label={words.bookingPage}
                inputMode="url"
                autoComplete="off"
                placeholder="https://"
                value={fields.booking_url}
                onChange={(booking_url) => set({ booking_url })}
                problem={problems.booking_url}
              />
            </>
          )}
        </Part>
      )}
      {own && !place.everybody && !place.home && place.source === "member" ? (
        <Part place={place} title={words.readers}>
          {({ everybody }, set) => (
            <>
              <p>{words.readersHelp}</p>
              <Tick on={everybody} onChange={(on) => set({ everybody: on })}>
                {words.everybody}
              </Tick>
            </>
          )}
        </Part>
      ) : null}
    </section>
  );
}

function About({
  fields,
  set,
  problems,
}: {
  fields: PlaceFields;
  set: (change: Partial<PlaceFields>) => void;
  problems: Problems;
}) {
  const words = placeFormWords();
  // As typed: a comma at the end begins the next cuisine.
  const [cuisines, setCuisines] = useState(fields.cuisines.join(", "));
  return (
    <>
      <Field
        label={words.name}
        value={fields.name}
        onChange={(name) => set({ name })}
        problem={problems.name}
      />
      <Field
        label={words.about}
        help={words.aboutHelp}
        value={fields.about}
        onChange={(about) => set({ about })}
        problem={problems.about}
        lines={2}
      />
      <Field
        label={words.cuisines}
        help={words.cuisinesHelp}
        value={cuisines}
        onChange={(text) => {
          setCuisines(text);
          set({
            cuisines: text
              .split(",")
              .map((each) => each.trim())
              .filter(Boolean),
          });
        }}
        problem={problems.cuisines}
      />
    </>
  );
}

function Part({ place, title, children }: { place: WholePlace; title: string; children: Editor }) {
  return (
    <Sheet title={title} trigger={<Button>{title}</Button>}>
      {(close) => (
        <PartForm place={place} close={close}>
          {children}
        </PartForm>
      )}
    </Sheet>
  );
}

function PartForm({ place, close, children }: { place: WholePlace; close: () => void; children: Editor }) {
  const words = placeFormWords();
  const announce = useAnnounce();
  const form = useRef<HTMLFormElement>(null);
  // What others save meanwhile in the other parts stays theirs.
  const [change, setChange] = useState<Partial<PlaceFields>>({});
  const [problems, setProblems] = useState<Problems>({});
  const fields = { ...fieldsOf(place), ...change };
  const save = useChange(
    async (good: PlaceFields) => {
      // Hours are on the clock of the place, wherever it lies when it is saved.
      const moved = change.latitude !== undefined && isPlaced(good);
      const time_zone = moved ? await zoneAt(good).catch(() => good.time_zone) : good.time_zone;
      await savePlace(place.id, { ...good, time_zone });
      announce(words.saved);
      close();
    },
    ...["place", "places", "plan", "plans"].map((key) => [key]),
  );
  return (
    <Form
      ref={form}
      noValidate
      className="flex flex-col gap-5"
      submit={() => {
        const answer = checked(fields);
        if ("fields" in answer) {
          setProblems({});
          return save.mutate(answer.fields);
        }
        setProblems(answer.problems);
        focusFirstProblem(form.current);
      }}
    >
      {children(fields, (part) => setChange((before) => ({ ...before, ...part })), problems)}
      <Submit of={save}>{words.saveChange}</Submit>
    </Form>
  );
}
