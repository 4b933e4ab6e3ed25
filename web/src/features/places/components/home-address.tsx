/** Owns: marking one's own place as one's home, with its address. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Form, Submit } from "../../../ui/fields/form.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { homeAddress } from "../form-schema.ts";
import { saveHome } from "../mutations.ts";
import type { WholePlace } from "../schema.ts";
import { placeWords } from "../words.ts";

/** For the person who added the place, while nobody else can find it. */
export function HomeAddress({ place }: { place: WholePlace }) {
  const words = placeWords().home;
  return (
    <div className="flex flex-col items-start gap-1">
      {place.home ? <p className="text-sm text-ink-soft">{words.who}</p> : null}
      <Sheet
        title={words.title}
        trigger={<Button look="plain">{place.home ? words.change : words.mark}</Button>}
      >
        {(close) => <HomeForm place={place} close={close} />}
      </Sheet>
    </div>
  );
}

function HomeForm({ place, close }: { place: WholePlace; close: () => void }) {
  const words = placeWords().home;
  const announce = useAnnounce();
  const queries = useQueryClient();
  const [address, setAddress] = useState(place.address);
  const [asked, setAsked] = useState(false);
  const good = homeAddress.safeParse(address);
  const save = useMutation({
    mutationFn: (given: string) => saveHome(place.id, given),
    onSuccess: () => {
      announce(words.saved);
      close();
    },
    onSettled: () =>
      Promise.all(["place", "places", "plan"].map((key) => queries.invalidateQueries({ queryKey: [key] }))),
  });
  return (
    <Form
      noValidate
      className="flex flex-col gap-4"
      submit={() => {
        setAsked(true);
        if (good.success) save.mutate(good.data);
      }}
    >
      <p>{words.text}</p>
      <Field
        autoFocus
        label={words.address}
        value={address}
        onChange={setAddress}
        problem={asked ? good.error?.issues[0]?.message : undefined}
      />
      <Submit of={save}>{words.save}</Submit>
    </Form>
  );
}
