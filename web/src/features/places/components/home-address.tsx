/** Owns: marking one's own place as one's home, with its address. */
import { useChange } from "../../../lib/change.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { TextForm } from "../../../ui/fields/text-form.tsx";
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
  const save = useChange(
    async (given: string) => {
      await saveHome(place.id, given);
      announce(words.saved);
      close();
    },
    ...["place", "places", "plan"].map((key) => [key]),
  );
  return (
    <TextForm
      initial={place.address}
      label={words.address}
      rule={homeAddress}
      action={words.save}
      of={save}
      submit={save.mutate}
    >
      <p>{words.text}</p>
    </TextForm>
  );
}
