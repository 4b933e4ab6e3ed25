/** Owns: the photo viewer: one photo large, with swiping, arrow keys, author and caption. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Dialog, Modal, ModalOverlay } from "react-aria-components";
import { problemWith } from "../../../lib/rules.ts";
import { clockOf, dayOf } from "../../../lib/time.ts";
import { useBackCloses } from "../../../ui/back-closes.ts";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Form, Submit } from "../../../ui/fields/form.tsx";
import { ArrowIcon } from "../../../ui/icons.ts";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { removePhoto, saveCaption } from "../mutations.ts";
import type { Photo } from "../queries.ts";
import { caption as captionRule } from "../schema.ts";
import { photoWords } from "../words.ts";

interface ViewerProps {
  photos: readonly Photo[];
  /** The id of the one that is shown. */
  at: string;
  /** Goes to another one, or closes with null. */
  setAt: (id: string | null) => void;
  nameOf: (id: string | null) => string;
  zone: string;
  /** Whether this person may change the caption, and remove the photo. */
  rights?: (photo: Photo) => { caption: boolean; remove: boolean };
}

/** The viewer is dark in both themes; its controls are light in both. */
const PALE = "text-[oklch(0.96_0.01_88)]!";
/** Shorter than this, a touch was not a swipe. */
const SWIPE_PX = 48;

export function PhotoViewer({ photos, at, setAt, ...rest }: ViewerProps) {
  const words = photoWords().viewer;
  const found = photos.findIndex((photo) => photo.id === at);
  const was = useRef(found);
  // When the open photo is deleted, here or by somebody else, the next one is shown.
  const index = found >= 0 ? found : Math.min(was.current, photos.length - 1);
  const photo = photos[index];
  const before = photos[index - 1];
  const after = photos[index + 1];
  const start = useRef<{ x: number; y: number } | null>(null);
  const shown = photo?.id ?? null;
  useBackCloses(() => setAt(null));
  useEffect(() => {
    was.current = index;
    if (shown !== at) setAt(shown);
  }, [index, shown, at, setAt]);
  if (!photo) return null;
  const go = (to: Photo | undefined) => {
    if (to) setAt(to.id);
  };
  return (
    <ModalOverlay
      isOpen
      isDismissable
      onOpenChange={(open) => {
        if (!open) setAt(null);
      }}
      className="fixed inset-0 z-50 bg-[oklch(0.15_0.03_330/0.985)]"
    >
      <Modal className="h-full">
        <Dialog
          aria-label={words.label}
          className="flex h-dvh flex-col text-[oklch(0.96_0.01_88)] outline-none"
        >
          {/* biome-ignore lint/a11y/noStaticElementInteractions: arrows and swipes add to the buttons, they replace none */}
          <div
            className="flex h-full min-h-0 flex-col"
            onKeyDown={(event) => {
              if (event.target instanceof HTMLInputElement) return;
              if (event.key === "ArrowLeft") go(before);
              if (event.key === "ArrowRight") go(after);
            }}
            onTouchStart={(event) => {
              const touch = event.touches.length === 1 ? event.touches[0] : undefined;
              start.current = touch ? { x: touch.clientX, y: touch.clientY } : null;
            }}
            onTouchEnd={(event) => {
              const touch = event.changedTouches[0];
              if (!touch || !start.current) return;
              const x = touch.clientX - start.current.x;
              if (Math.abs(x) < SWIPE_PX || Math.abs(x) < Math.abs(touch.clientY - start.current.y)) return;
              go(x > 0 ? before : after);
            }}
          >
            <div className="flex items-center justify-between p-3">
              <p className="numerals px-2 text-sm opacity-90" aria-live="polite">
                {words.place(index + 1, photos.length)}
              </p>
              <Button look="plain" autoFocus onPress={() => setAt(null)} className={PALE}>
                {words.close}
              </Button>
            </div>
            <div className="relative flex min-h-0 flex-1 items-center justify-center px-3">
              {photo.url ? (
                <img
                  key={photo.id}
                  src={photo.url}
                  alt={photo.caption || photoWords().aPhotoBy(rest.nameOf(photo.author_id))}
                  width={photo.width}
                  height={photo.height}
                  draggable={false}
                  className="max-h-full w-auto max-w-full rounded-s object-contain [animation:fade_150ms_linear]"
                />
              ) : (
                <p>{photoWords().missing}</p>
              )}
              <Turn to={before} go={go} label={words.previous} className="left-2 rotate-180" />
              <Turn to={after} go={go} label={words.next} className="right-2" />
            </div>
            <Below key={photo.id} photo={photo} {...rest} />
          </div>
        </Dialog>
      </Modal>
      {[before, after].map((each) =>
        each?.url ? <link key={each.id} rel="prefetch" as="image" href={each.url} /> : null,
      )}
    </ModalOverlay>
  );
}

function Turn({
  to,
  go,
  label,
  className,
}: {
  to: Photo | undefined;
  go: (to: Photo | undefined) => void;
  label: string;
  className: string;
}) {
  if (!to) return null;
  return (
    <Button
      round
      aria-label={label}
      onPress={() => go(to)}
      className={`absolute top-1/2 -mt-5.5 border-transparent! bg-[oklch(0.2_0.03_330/0.7)]! ${PALE} hover:bg-[oklch(0.3_0.03_330)]! ${className}`}
    >
      <ArrowIcon aria-hidden className="size-5" />
    </Button>
  );
}

/** Author and time, the caption, and the actions on it. */
function Below({
  photo,
  nameOf,
  zone,
  rights,
}: Pick<ViewerProps, "nameOf" | "zone" | "rights"> & { photo: Photo }) {
  const words = photoWords().viewer;
  const queries = useQueryClient();
  const [caption, setCaption] = useState<string | null>(null);
  const [asked, setAsked] = useState(false);
  /** Which button the focus goes back to, once what it led to is over. */
  const [back, setBack] = useState<"caption" | "remove" | null>(null);
  const reread = () => queries.invalidateQueries({ queryKey: ["photos", photo.plan_id] });
  const save = useMutation({
    mutationFn: (next: string) => saveCaption(photo.id, next),
    onSuccess: async () => {
      await reread();
      setCaption(null);
      setBack("caption");
    },
  });
  const remove = useMutation({ mutationFn: () => removePhoto(photo), onSettled: reread });
  const problem = caption === null ? undefined : problemWith(captionRule, caption);
  const may = rights?.(photo) ?? { caption: false, remove: false };
  return (
    <div className="mx-auto flex w-full max-w-xl flex-col gap-2 p-4 pb-[max(1rem,env(safe-area-inset-bottom))]">
      {caption === null ? (
        <div className="flex items-start justify-between gap-3">
          <p className="min-w-0">
            {photo.caption ? <span className="block [overflow-wrap:anywhere]">{photo.caption}</span> : null}
            <span className="text-sm opacity-85">
              {words.byAt(
                nameOf(photo.author_id),
                `${dayOf(photo.created_at, zone)}, ${clockOf(photo.created_at, zone)}`,
              )}
            </span>
          </p>
          <div className="flex shrink-0 flex-col items-end">
            {may.caption ? (
              <Button
                look="plain"
                className={PALE}
                autoFocus={back === "caption"}
                onPress={() => setCaption(photo.caption)}
              >
                {words.editCaption}
              </Button>
            ) : null}
            {may.remove && !asked ? (
              <Button
                look="plain"
                className={PALE}
                autoFocus={back === "remove"}
                onPress={() => setAsked(true)}
              >
                {words.remove}
              </Button>
            ) : null}
          </div>
        </div>
      ) : (
        <Form
          className="flex flex-col gap-2"
          submit={() => {
            if (problem === undefined) save.mutate(caption);
          }}
        >
          <Field
            label={photoWords().upload.caption}
            value={caption}
            onChange={setCaption}
            problem={problem}
            autoFocus
          />
          <Submit of={save} className="self-start">
            {words.saveCaption}
          </Submit>
        </Form>
      )}
      {asked ? (
        <div className="flex flex-wrap items-center gap-2">
          <p>{words.reallyRemove}</p>
          <Button look="action" busy={remove.isPending} onPress={() => remove.mutate()}>
            {words.yesRemove}
          </Button>
          <Button
            look="plain"
            className={PALE}
            autoFocus
            onPress={() => {
              setAsked(false);
              setBack("remove");
            }}
          >
            {words.stay}
          </Button>
        </div>
      ) : null}
      {remove.isError ? <ErrorNotice error={remove.error} /> : null}
    </div>
  );
}
