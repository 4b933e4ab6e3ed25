/** Owns: uploading several pictures at once, each with its own progress and its own retry. */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { isOnline, onConnectionChange } from "../../lib/device/online.ts";
import { toAppError } from "../../lib/errors.ts";
import { uploadPhoto } from "./upload.ts";

export interface Picked {
  id: string;
  file: File;
  caption: string;
  state: "picked" | "waiting" | "preparing" | "sending" | "failed" | "done";
  /** From 0 to 1. */
  progress: number;
  error: unknown;
}

/** Two at a time keep the line full; more would only make each one slower. */
const AT_ONCE = 2;

export function useUploads(plan: string, me: string, shared: (count: number) => void) {
  const queries = useQueryClient();
  const [pictures, setPictures] = useState<readonly Picked[]>([]);
  const running = useRef(new Set<string>());

  const change = useCallback(
    (id: string, next: Partial<Picked>) =>
      setPictures((all) => all.map((each) => (each.id === id ? { ...each, ...next } : each))),
    [],
  );
  useEffect(() => {
    const run = async ({ id, file, caption }: Picked) => {
      running.current.add(id);
      change(id, { state: "preparing", progress: 0, error: null });
      try {
        const onProgress = (progress: number) => change(id, { state: "sending", progress });
        await uploadPhoto({ plan, me, file, id, caption: caption.trim(), onProgress });
        change(id, { state: "done", progress: 1 });
      } catch (error) {
        change(id, { state: "failed", error });
      } finally {
        running.current.delete(id);
        void queries.invalidateQueries({ queryKey: ["photos", plan] });
      }
    };
    for (const picture of pictures) {
      if (running.current.size >= AT_ONCE) break;
      if (picture.state === "waiting" && !running.current.has(picture.id)) void run(picture);
    }
    const over = pictures.length > 0 && pictures.every(({ state }) => state === "done");
    if (over) {
      shared(pictures.length);
      setPictures([]);
    }
  }, [pictures, plan, me, change, queries, shared]);

  useEffect(() => {
    // An upload that failed without a connection is retried when there is one.
    const again = () =>
      setPictures((all) =>
        all.map((each) =>
          each.state === "failed" && toAppError(each.error).kind === "network"
            ? { ...each, state: "waiting" }
            : each,
        ),
      );
    return onConnectionChange(() => {
      if (isOnline()) again();
    });
  }, []);

  return {
    pictures,
    pick: (files: readonly File[]) =>
      setPictures((all) => [
        ...all,
        ...files.map(
          (file): Picked => ({
            id: crypto.randomUUID(),
            file,
            caption: "",
            state: "picked",
            progress: 0,
            error: null,
          }),
        ),
      ]),
    caption: (id: string, caption: string) => change(id, { caption }),
    leaveOut: (id: string) => setPictures((all) => all.filter((each) => each.id !== id)),
    retry: (id: string) => change(id, { state: "waiting" }),
    share: () =>
      setPictures((all) =>
        all.map((each) => (each.state === "picked" ? { ...each, state: "waiting" } : each)),
      ),
  };
}
