/** Owns: a plan's photos: the wall, and adding to it. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { FileTrigger } from "react-aria-components";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/field.tsx";
import { CameraIcon } from "../../../ui/icons.ts";
import { Bone, Empty, ErrorNotice, Loading } from "../../../ui/notice.tsx";
import { usePlanLive } from "../../plans/realtime.tsx";
import type { Member } from "../../plans/schema.ts";
import { addPhoto, removePhoto } from "../mutations.ts";
import { type Photo, photoQueries } from "../queries.ts";

interface PhotoWallProps {
  planId: string;
  me: string;
  host: boolean;
  members: readonly Member[];
}

export function PhotoWall({ planId, me, host, members }: PhotoWallProps) {
  const queries = useQueryClient();
  const live = usePlanLive();
  const announce = useAnnounce();
  const photos = useQuery(photoQueries.ofPlan(planId));
  const nameOf = (id: string | null) =>
    members.find((member) => member.user_id === id)?.profiles?.display_name.split(" ")[0] ??
    "Someone who left";

  useEffect(() => {
    const readAgain = () => void queries.invalidateQueries({ queryKey: ["photos", planId] });
    return live.listen((event) => {
      if (event.table !== "photos") return;
      readAgain();
      if (event.operation === "INSERT" && event.record?.author_id !== me) announce("A new photo came in.");
    }, readAgain);
  }, [live.listen, queries, planId, me, announce]);

  const remove = useMutation({
    mutationFn: removePhoto,
    onSettled: () => queries.invalidateQueries({ queryKey: ["photos", planId] }),
  });

  return (
    <div className="flex flex-col gap-4">
      <AddPhoto planId={planId} me={me} />
      {remove.isError ? <ErrorNotice error={remove.error} /> : null}
      {photos.isPending ? (
        <Loading what="photos">
          <div className="grid grid-cols-2 gap-3">
            <Bone className="aspect-[4/3]" />
            <Bone className="aspect-[4/3]" />
          </div>
        </Loading>
      ) : photos.isError ? (
        <ErrorNotice error={photos.error} retry={() => void photos.refetch()} />
      ) : photos.data.length === 0 ? (
        <Empty title="No photos yet" picture={<CameraIcon aria-hidden className="size-10 text-edge" />}>
          <p>The first plate is a good start. Where a picture was taken is never kept.</p>
        </Empty>
      ) : (
        <ul className="columns-1 gap-3 sm:columns-2">
          {photos.data.map((photo) => (
            <PhotoCard
              key={photo.id}
              photo={photo}
              author={photo.author_id === me ? "you" : nameOf(photo.author_id)}
              remove={photo.author_id === me || host ? () => remove.mutate(photo) : null}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

function PhotoCard({ photo, author, remove }: { photo: Photo; author: string; remove: (() => void) | null }) {
  const words = photo.caption || `A photo by ${author}`;
  return (
    <li className="rise mb-3 break-inside-avoid overflow-hidden rounded-m border border-line bg-card">
      {photo.url ? (
        <img
          src={photo.url}
          alt={words}
          width={photo.width}
          height={photo.height}
          loading="lazy"
          className="h-auto w-full"
        />
      ) : (
        <p className="grid aspect-[4/3] place-items-center text-sm text-ink-soft">This picture is gone.</p>
      )}
      <div className="flex items-center justify-between gap-2 px-3 py-1.5 text-sm">
        <p className="py-1">
          {photo.caption ? `${photo.caption} ` : ""}
          <span className="text-ink-soft">by {author}</span>
        </p>
        {remove ? (
          <Button look="plain" onPress={remove} aria-label={`Remove ${words}`}>
            <span className="text-sm">Remove</span>
          </Button>
        ) : null}
      </div>
    </li>
  );
}

function AddPhoto({ planId, me }: { planId: string; me: string }) {
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [file, setFile] = useState<File | null>(null);
  const [caption, setCaption] = useState("");
  const add = useMutation({
    mutationFn: (chosen: File) => addPhoto(planId, me, chosen, caption),
    onSuccess: () => {
      setFile(null);
      setCaption("");
      announce("Your photo is on the wall.");
      return queries.invalidateQueries({ queryKey: ["photos", planId] });
    },
  });
  return (
    <div className="flex flex-col gap-3">
      {file ? (
        <form
          className="paper flex flex-col gap-3 p-4"
          onSubmit={(event) => {
            event.preventDefault();
            add.mutate(file);
          }}
        >
          <p className="truncate text-sm text-ink-soft">{file.name}</p>
          <Field
            label="Caption"
            value={caption}
            onChange={setCaption}
            maxLength={140}
            placeholder="What are we looking at?"
          />
          <div className="flex gap-2">
            <Button type="submit" look="action" busy={add.isPending}>
              Share it
            </Button>
            <Button onPress={() => setFile(null)} isDisabled={add.isPending}>
              Not this one
            </Button>
          </div>
        </form>
      ) : (
        <FileTrigger
          acceptedFileTypes={["image/jpeg", "image/png", "image/webp", "image/avif"]}
          onSelect={(files) => setFile(files?.[0] ?? null)}
        >
          <Button className="self-start">
            <CameraIcon aria-hidden className="size-5" /> Add a photo
          </Button>
        </FileTrigger>
      )}
      {add.isError ? <ErrorNotice error={add.error} /> : null}
    </div>
  );
}
