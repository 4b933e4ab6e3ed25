/** Owns: reading the person's own calendar, from a file or a URL, and removing it. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { AppError } from "../../../lib/errors.ts";
import { browserZone, formatRelative } from "../../../lib/time.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Form, Submit } from "../../../ui/fields/form.tsx";
import { readBusy } from "../ics.ts";
import { fetchCalendar } from "../queries.ts";
import { removeBusy, storeBusy, useStoredBusy } from "../stored-busy.ts";
import { calendarWords } from "../words.ts";

/** As far ahead as a plan may look. */
const AHEAD_MS = 180 * 86_400_000;
const MOST_BYTES = 10 * 1024 * 1024;

export function CalendarForm({ me, close }: { me: string; close: () => void }) {
  const words = calendarWords();
  const announce = useAnnounce();
  const stored = useStoredBusy(me);
  const [address, setAddress] = useState("");
  const reading = useMutation({
    mutationFn: async (text: () => Promise<string>) => {
      const now = Date.now();
      const busy = await readBusy(await text(), browserZone(), now, now + AHEAD_MS);
      storeBusy(me, busy, new Date(now).toISOString());
    },
    onSuccess: () => {
      announce(words.done);
      close();
    },
  });
  const readFile = (file: File | undefined) => {
    if (!file) return;
    reading.mutate(async () => {
      if (file.size > MOST_BYTES) {
        throw new AppError("invalid", "file_too_large", words.tooLarge.message, words.tooLarge.hint);
      }
      return file.text();
    });
  };
  return (
    <Form className="flex flex-col gap-4" submit={() => reading.mutate(() => fetchCalendar(address.trim()))}>
      <p className="text-ink-soft">{words.privacy}</p>
      {stored ? (
        <div className="flex flex-col items-start gap-1">
          <p>{words.kept(stored.busy.length, formatRelative(stored.readAt, Date.now(), browserZone()))}</p>
          <Button
            look="plain"
            className="-ml-2"
            onPress={() => {
              removeBusy(me);
              announce(words.removed);
            }}
          >
            {words.remove}
          </Button>
        </div>
      ) : null}
      <label className="flex flex-col gap-1">
        <span className="text-sm font-semibold">{words.file}</span>
        <input
          type="file"
          accept=".ics,text/calendar"
          onChange={(event) => readFile(event.target.files?.[0])}
          className="min-h-11 w-full cursor-pointer rounded-s border border-edge bg-card px-3 py-2 text-sm file:mr-3 file:cursor-pointer file:rounded-full file:border-0 file:bg-card-warm file:px-3 file:py-1 file:font-semibold file:text-ink"
        />
      </label>
      <Field
        label={words.address}
        type="url"
        value={address}
        onChange={setAddress}
        help={words.addressHelp}
        placeholder="https://"
      />
      <Submit of={reading} isDisabled={address.trim().length < 9}>
        {words.read}
      </Submit>
    </Form>
  );
}
