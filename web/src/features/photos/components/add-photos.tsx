/** Owns: choosing pictures, writing under them, and seeing each one go up. */

import { useEffect, useState } from "react";
import { ProgressBar } from "react-aria-components";
import { problemWith } from "../../../lib/rules.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Form } from "../../../ui/fields/form.tsx";
import { PickFiles } from "../../../ui/fields/pick-files.tsx";
import { CameraIcon, CheckIcon } from "../../../ui/icons.ts";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { caption as captionRule } from "../schema.ts";
import { pictureTypes, problemOf } from "../upload.ts";
import { type Picked, useUploads } from "../uploads.ts";
import { photoWords } from "../words.ts";

/** As private.limits in SQL says. */
const MOST_PHOTOS = 100;

/** @param there how many photos the plan has; undefined while that is not known */
export function AddPhotos({ planId, me, there }: { planId: string; me: string; there: number | undefined }) {
  const words = photoWords();
  const announce = useAnnounce();
  const uploads = useUploads(planId, me, (count) => announce(photoWords().shared(count)));
  const [refused, setRefused] = useState<{ name: string; error: unknown }[]>([]);
  const room = MOST_PHOTOS - (there ?? 0) - uploads.pictures.filter(({ state }) => state !== "done").length;
  const [noRoom, setNoRoom] = useState(false);
  const pick = (files: File[]) => {
    const problems = files.map((file) => ({ name: file.name, error: problemOf(file) }));
    setRefused(problems.filter(({ error }) => error !== null));
    const good = files.filter((_file, index) => problems[index]?.error === null);
    setNoRoom(good.length > room);
    uploads.pick(good.slice(0, Math.max(0, room)));
  };
  const picked = uploads.pictures.filter(({ state }) => state === "picked");
  const there100 = there !== undefined && there >= MOST_PHOTOS;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        {there100 ? (
          <p className="text-ink-soft">{words.full}</p>
        ) : (
          <PickFiles multiple accept={pictureTypes} onPick={pick}>
            {(open) => (
              <Button onPress={open}>
                <CameraIcon aria-hidden className="size-5" /> {words.add}
              </Button>
            )}
          </PickFiles>
        )}
        {there !== undefined && there > MOST_PHOTOS * 0.7 ? (
          <p className="numerals text-sm text-ink-soft">{words.count(there, MOST_PHOTOS)}</p>
        ) : null}
      </div>
      {refused.map(({ name, error }) => (
        <div key={name} className="flex flex-col gap-1">
          <p className="truncate text-sm text-ink-soft">{name}</p>
          <ErrorNotice error={error} />
        </div>
      ))}
      {noRoom ? <p role="alert">{words.tooMany(Math.max(0, room))}</p> : null}
      {uploads.pictures.length > 0 ? (
        <Form
          aria-label={words.upload.label}
          className="paper flex flex-col gap-4 p-4"
          submit={() => {
            if (picked.every((picture) => captionRule.safeParse(picture.caption).success)) uploads.share();
          }}
        >
          <ul className="flex flex-col gap-4">
            {uploads.pictures.map((picture) => (
              <PickedPicture key={picture.id} picture={picture} {...uploads} />
            ))}
          </ul>
          {picked.length > 0 ? (
            <Button type="submit" look="action" className="self-start">
              {words.upload.share(picked.length)}
            </Button>
          ) : null}
        </Form>
      ) : null}
    </div>
  );
}

function PickedPicture({
  picture,
  caption,
  leaveOut,
  retry,
}: { picture: Picked } & Pick<ReturnType<typeof useUploads>, "caption" | "leaveOut" | "retry">) {
  const words = photoWords();
  const { id, file, state, progress } = picture;
  const address = useAddress(file);
  return (
    <li className="flex gap-3">
      {address ? (
        <img src={address} alt="" className="size-20 shrink-0 rounded-s object-cover" />
      ) : (
        <span className="size-20 shrink-0" />
      )}
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        {state === "picked" ? (
          <>
            <Field
              label={words.upload.caption}
              value={picture.caption}
              onChange={(next) => caption(id, next)}
              problem={problemWith(captionRule, picture.caption)}
              placeholder={words.upload.captionHint}
            />
            <Button
              look="plain"
              className="self-start"
              aria-label={words.upload.without(file.name)}
              onPress={() => leaveOut(id)}
            >
              {words.upload.notThis}
            </Button>
          </>
        ) : (
          <Progress name={file.name} state={state} progress={progress} />
        )}
        {state === "failed" ? (
          <>
            <ErrorNotice error={picture.error} />
            <div className="flex flex-wrap">
              <Button look="plain" onPress={() => retry(id)}>
                {words.upload.retry}
              </Button>
              <Button look="plain" aria-label={words.upload.without(file.name)} onPress={() => leaveOut(id)}>
                {words.upload.notThis}
              </Button>
            </div>
          </>
        ) : null}
      </div>
    </li>
  );
}

function Progress({ name, state, progress }: { name: string; state: Picked["state"]; progress: number }) {
  const words = photoWords().upload;
  const percent = Math.round(progress * 100);
  const progressText =
    state === "sending" ? words.sending(percent) : state === "failed" ? null : words[state as "waiting"];
  return (
    <>
      <p className="truncate text-sm text-ink-soft">{name}</p>
      {progressText ? (
        <ProgressBar
          aria-label={words.progress(name)}
          value={percent}
          isIndeterminate={state === "waiting" || state === "preparing"}
          valueLabel={progressText}
        >
          <span className="flex items-center gap-1 text-sm">
            {state === "done" ? <CheckIcon aria-hidden className="size-4 text-yes" /> : null}
            {progressText}
          </span>
          <span className="mt-1 block h-1.5 overflow-hidden rounded-full bg-line">
            <span
              className="block h-full rounded-full bg-action transition-[width] duration-150"
              style={{ width: `${percent}%` }}
            />
          </span>
        </ProgressBar>
      ) : null}
    </>
  );
}

/** An address under which the browser shows a file of this device, as long as the component is there. */
function useAddress(file: File): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return address;
}
