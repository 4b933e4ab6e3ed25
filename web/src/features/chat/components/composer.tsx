/** Owns: the message composer: new messages, replies and edits, with or without a photo. */
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { draftText, storeDraftText } from "../../../lib/device/drafts.ts";
import { toAppError } from "../../../lib/errors.ts";
import { Button } from "../../../ui/button.tsx";
import { Form } from "../../../ui/fields/form.tsx";
import { PickFiles } from "../../../ui/fields/pick-files.tsx";
import { ArrowIcon, CameraIcon, CheckIcon } from "../../../ui/icons.ts";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { DraftLine } from "../../drafts/components/draft-line.tsx";
import { editMessage } from "../../messages/mutations.ts";
import { LONGEST_MESSAGE, type Message } from "../../messages/schema.ts";
import { pictureTypes, problemOf, uploadPhoto } from "../../photos/upload.ts";
import { messageBody } from "../message-body.ts";
import { chatWords } from "../words.ts";

/** The purpose of sending: a new message, a reply or an edit. */
export type Mode = { kind: "new" } | { kind: "reply"; to: Message } | { kind: "edit"; message: Message };

interface ComposerProps {
  planId: string;
  me: string;
  mode: Mode;
  setMode: (mode: Mode) => void;
  nameOf: (id: string | null) => string;
  say: (message: { body: string; reply_to: string | null; photo_id: string | null }) => void;
  /** The person's last editable message, for the arrow-up key. */
  lastOwn: () => Message | undefined;
  /** The current message; it may have been changed on another device meanwhile. */
  current: (id: string) => Message | undefined;
  edited: () => void;
  setTyping: (typing: boolean) => void;
}

/** How long the typing indicator stays after the last key. */
const TYPING_MS = 4000;
/** From this length on, the number of remaining characters is shown. */
const NEARLY_FULL = 200;

export function Composer({ planId, me, mode, setMode, ...props }: ComposerProps) {
  const words = chatWords();
  const [draft, setDraft] = useState(() => draftText(me, planId) ?? "");
  /** Whether the text was written before this page, or this tab of the plan, was opened. */
  const [restored, setRestored] = useState(draft !== "");
  const [change, setChange] = useState("");
  const [photo, setPhoto] = useState<{ file: File; id: string } | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const typing = useTyping(props.setTyping);
  const replyTo = mode.kind === "reply" ? mode.to.id : null;
  const editing = mode.kind === "edit" ? mode.message : null;
  const text = editing ? change : draft;

  useEffect(() => {
    if (editing) setChange(editing.body);
    if (mode.kind !== "new") field.current?.focus();
  }, [mode.kind, editing]);

  const save = useMutation({
    mutationFn: ({ body, force }: { body: string; force: boolean }) => {
      if (!editing) throw new Error("Nothing is being changed");
      const seen = editing.delivery === "sent" ? editing.revision : null;
      return editMessage(editing.id, body, force ? null : seen);
    },
    onSuccess: () => {
      props.edited();
      stopEditing();
    },
    onError: () => props.edited(),
  });
  const share = useMutation({
    mutationFn: ({ file, id }: { file: File; id: string; body: string; reply_to: string | null }) =>
      uploadPhoto({ plan: planId, me, file, id, caption: "" }),
    onSuccess: (photoId, { body, reply_to }) => {
      props.say({ body, reply_to, photo_id: photoId });
      written("");
      setPhoto(null);
      // An edit or another reply may have begun during the upload.
      if (replyTo === reply_to && !editing) setMode({ kind: "new" });
    },
  });

  const written = (next: string) => {
    setDraft(next);
    setRestored(restored && next !== "");
    storeDraftText(me, planId, next === "" ? null : next);
  };
  const stopEditing = () => {
    save.reset();
    setMode({ kind: "new" });
    setChange("");
    field.current?.focus();
  };
  const submit = () => {
    const body = messageBody(photo !== null && !editing).safeParse(text);
    if (!body.success || save.isPending || share.isPending) return;
    typing.stop();
    if (editing) return save.mutate({ body: body.data, force: false });
    if (photo) return share.mutate({ ...photo, body: body.data, reply_to: replyTo });
    props.say({ body: body.data, reply_to: replyTo, photo_id: null });
    written("");
    setMode({ kind: "new" });
    // The button that had the focus is disabled now.
    field.current?.focus();
  };
  const cancel = () => {
    if (editing) stopEditing();
    else setMode({ kind: "new" });
  };
  const clash = save.isError && toAppError(save.error).code === "message_changed";
  const left = LONGEST_MESSAGE - text.length;
  const problem = photo && problemOf(photo.file);
  const busy = save.isPending || share.isPending;
  return (
    <Form className="flex flex-col gap-2 border-t border-line bg-card p-3" submit={submit}>
      {mode.kind === "new" ? null : (
        <Above cancel={cancel} quote={mode.kind === "reply" ? mode.to.body || words.photo : null}>
          {mode.kind === "edit"
            ? words.compose.editing
            : words.compose.answering(props.nameOf(mode.to.author_id))}
        </Above>
      )}
      {photo && !editing ? (
        <Above cancel={() => setPhoto(null)} quote={null}>
          {share.isPending ? words.compose.uploading : words.compose.withPhoto(photo.file.name)}
        </Above>
      ) : null}
      {save.isError ? <ErrorNotice error={save.error} /> : null}
      {clash && editing ? (
        <div className="flex flex-col gap-1 text-sm">
          <p>
            <span className="text-ink-soft">{words.changedElsewhere.meanwhile}</span>{" "}
            {props.current(editing.id)?.body}
          </p>
          <div className="flex flex-wrap">
            <Button look="plain" onPress={() => save.mutate({ body: change.trim(), force: true })}>
              {words.changedElsewhere.overwrite}
            </Button>
            <Button look="plain" onPress={stopEditing}>
              {words.changedElsewhere.takeTheirs}
            </Button>
          </div>
        </div>
      ) : null}
      {share.isError ? <ErrorNotice error={share.error} /> : null}
      {restored && !editing ? (
        <DraftLine
          restored
          startOver={() => {
            written("");
            field.current?.focus();
          }}
        />
      ) : null}
      <div className="flex items-end gap-2">
        {editing ? null : (
          <PickFiles
            accept={pictureTypes}
            onPick={([file]) => {
              if (!file) return;
              share.reset();
              setPhoto({ file, id: crypto.randomUUID() });
            }}
          >
            {(open) => (
              <Button
                look="quiet"
                round
                aria-label={words.compose.addPhoto}
                isDisabled={share.isPending}
                onPress={open}
              >
                <CameraIcon aria-hidden className="size-5" />
              </Button>
            )}
          </PickFiles>
        )}
        <label className="min-w-0 flex-1">
          <span className="sr-only">{words.compose.label}</span>
          <textarea
            ref={field}
            value={text}
            rows={1}
            // Its text is sent with the photo that is uploading.
            readOnly={share.isPending && !editing}
            maxLength={LONGEST_MESSAGE}
            placeholder={words.compose.hint}
            onChange={(event) => {
              typing.type(event.target.value !== "");
              if (editing) setChange(event.target.value);
              else written(event.target.value);
            }}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing) return;
              if (event.key === "Enter" && !event.shiftKey) {
                event.preventDefault();
                submit();
              } else if (event.key === "Escape" && mode.kind !== "new") {
                event.stopPropagation();
                cancel();
              } else if (event.key === "ArrowUp" && text === "" && !editing) {
                const own = props.lastOwn();
                if (!own) return;
                event.preventDefault();
                setMode({ kind: "edit", message: own });
              }
            }}
            className="field-sizing-content block max-h-40 min-h-11 w-full resize-none rounded-m border border-edge bg-ground px-3 py-2.5 placeholder:text-ink-soft"
          />
        </label>
        <Button
          type="submit"
          look="action"
          aria-label={editing ? words.compose.save : words.compose.send}
          isDisabled={text.trim() === "" && !photo}
          busy={busy}
          round
        >
          {busy ? null : editing ? (
            <CheckIcon aria-hidden className="size-5" />
          ) : (
            <ArrowIcon aria-hidden className="size-5" />
          )}
        </Button>
      </div>
      {problem ? <ErrorNotice error={problem} /> : null}
      {left < NEARLY_FULL ? <p className="text-right text-xs text-ink-soft">{words.left(left)}</p> : null}
    </Form>
  );
}

function Above({
  quote,
  cancel,
  children,
}: {
  quote: string | null;
  cancel: () => void;
  children: ReactNode;
}) {
  return (
    <div className="flex items-center justify-between gap-2 border-l-2 border-action pl-3 text-sm">
      <p className="min-w-0">
        <span className="block font-semibold">{children}</span>
        {quote ? <span className="block truncate text-ink-soft">{quote}</span> : null}
      </p>
      <Button look="plain" onPress={cancel} className="shrink-0">
        {chatWords().compose.cancel}
      </Button>
    </div>
  );
}

/** Broadcasts once that the person types, and once that they stopped. */
function useTyping(say: (typing: boolean) => void) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const stop = useCallback(() => {
    if (timer.current === undefined) return;
    clearTimeout(timer.current);
    timer.current = undefined;
    say(false);
  }, [say]);
  const type = (something: boolean) => {
    if (timer.current === undefined && something) say(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(stop, TYPING_MS);
  };
  return { type, stop };
}
