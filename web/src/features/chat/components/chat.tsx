/** Owns: the conversation of a plan: the list, who is typing, and the composer. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { toAppError } from "../../../lib/errors.ts";
import { clockOf, dayOf } from "../../../lib/time.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Avatar } from "../../../ui/avatar.tsx";
import { Button } from "../../../ui/button.tsx";
import { ArrowIcon, MessageIcon } from "../../../ui/icons.ts";
import { Bone, Empty, ErrorNotice, Loading } from "../../../ui/notice.tsx";
import { faceOf } from "../../people/queries.ts";
import { usePlanLive } from "../../plans/realtime.tsx";
import type { Member } from "../../plans/schema.ts";
import { continues, withFailure, withMessage, withPending } from "../domain.ts";
import { sendMessage } from "../mutations.ts";
import { chatQueries } from "../queries.ts";
import { type Message, messageBody, messageSchema } from "../schema.ts";

interface ChatProps {
  planId: string;
  me: string;
  members: readonly Member[];
  viewerZone: string;
}

/** How long one is said to be typing after the last key. */
const TYPING_MS = 4000;

export function Chat({ planId, me, members, viewerZone }: ChatProps) {
  const queries = useQueryClient();
  const live = usePlanLive();
  const announce = useAnnounce();
  const messages = useQuery(chatQueries.messages(planId, queries));
  const key = ["messages", planId];
  const change = (next: (list: Message[]) => Message[]) =>
    queries.setQueryData<Message[]>(["messages", planId], (list) => next(list ?? []));

  useEffect(
    () =>
      live.listen(
        (event) => {
          if (event.table !== "messages") return;
          const row = messageSchema.safeParse(event.record);
          if (!row.success) return;
          queries.setQueryData<Message[]>(
            ["messages", planId],
            (list) => list && withMessage(list, row.data),
          );
          if (event.operation === "INSERT" && row.data.author_id !== me) {
            const author = members.find((member) => member.user_id === row.data.author_id);
            announce(`${author?.profiles?.display_name ?? "Someone"}: ${row.data.body}`);
          }
        },
        () => void queries.invalidateQueries({ queryKey: ["messages", planId] }),
      ),
    [live.listen, queries, planId, me, members, announce],
  );

  const send = useMutation({
    mutationFn: sendMessage,
    onMutate: (message) => {
      change((list) =>
        withPending(list, {
          ...message,
          id: message.client_id,
          edited_at: null,
          deleted_at: null,
          created_at: new Date().toISOString(),
          delivery: "pending",
        }),
      );
    },
    onSuccess: (row) =>
      row ? change((list) => withMessage(list, row)) : queries.invalidateQueries({ queryKey: key }),
    onError: (_error, message) => change((list) => withFailure(list, message.client_id)),
  });
  const say = (body: string, clientId: string = crypto.randomUUID()) =>
    send.mutate({ plan_id: planId, author_id: me, client_id: clientId, body, reply_to: null });

  const typing = members.filter((member) => member.user_id !== me && live.typing.has(member.user_id));
  return (
    <section aria-label="Chat" className="flex h-full min-h-0 flex-col">
      {messages.isPending ? (
        <Loading what="the conversation">
          <div className="flex flex-col gap-4 p-4">
            <Bone className="h-12 w-3/4" />
            <Bone className="ml-auto h-12 w-1/2" />
            <Bone className="h-16 w-2/3" />
          </div>
        </Loading>
      ) : messages.isError ? (
        <ErrorNotice error={messages.error} retry={() => void messages.refetch()} />
      ) : (
        <Conversation
          messages={messages.data}
          me={me}
          members={members}
          viewerZone={viewerZone}
          retry={(message) => say(message.body, message.client_id)}
        />
      )}
      <p className="min-h-6 px-4 text-sm text-ink-soft italic" aria-live="polite">
        {typing.length > 0
          ? `${typing.map((member) => member.profiles?.display_name.split(" ")[0] ?? "Someone").join(", ")} ${typing.length === 1 ? "is" : "are"} typing`
          : ""}
      </p>
      {send.isError && toAppError(send.error).kind !== "network" ? (
        <div className="px-4 pb-2">
          <ErrorNotice error={send.error} />
        </div>
      ) : null}
      <Composer say={say} setTyping={live.setTyping} />
    </section>
  );
}

function Conversation({
  messages,
  me,
  members,
  viewerZone,
  retry,
}: {
  messages: readonly Message[];
  me: string;
  members: readonly Member[];
  viewerZone: string;
  retry: (message: Message) => void;
}) {
  const list = useRef<HTMLOListElement>(null);
  const newest = messages.at(-1)?.client_id;
  useLayoutEffect(() => {
    // Follow the newest message inside the list, without moving the page under the reader.
    if (newest && list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [newest]);
  if (messages.length === 0) {
    return (
      <div className="flex-1">
        <Empty
          title="Nobody has said anything"
          picture={<MessageIcon aria-hidden className="size-10 text-edge" />}
        >
          <p>Say hello, or say why Friday.</p>
        </Empty>
      </div>
    );
  }
  const byId = new Map(messages.map((message) => [message.id, message]));
  const nameOf = (id: string | null) =>
    members.find((member) => member.user_id === id)?.profiles?.display_name.split(" ")[0] ??
    "Someone who left";
  return (
    <ol
      ref={list}
      // A scrollable region must be reachable by keyboard.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled with the arrow keys
      tabIndex={0}
      aria-label="Messages"
      className="flex min-h-0 flex-1 flex-col overflow-y-auto overscroll-contain px-4 py-3"
    >
      {messages.map((message, index) => {
        const before = messages[index - 1];
        const mine = message.author_id === me;
        const close = continues(message, before);
        const newDay =
          !before || dayOf(before.created_at, viewerZone) !== dayOf(message.created_at, viewerZone);
        const author = members.find((member) => member.user_id === message.author_id);
        const answered = message.reply_to ? byId.get(message.reply_to) : undefined;
        return (
          <li
            key={message.client_id}
            className={`flex flex-col ${close && !newDay ? "mt-1" : "mt-4"} first:mt-0`}
          >
            {newDay ? (
              <p className="mb-3 text-center text-xs text-ink-soft">
                {dayOf(message.created_at, viewerZone)}
              </p>
            ) : null}
            <div className={`flex items-end gap-2 ${mine ? "flex-row-reverse" : ""}`}>
              {mine ? null : (
                <span className="w-7 shrink-0">
                  {close && !newDay ? null : (
                    <Avatar face={faceOf(message.author_id ?? "gone", author?.profiles ?? null)} size={28} />
                  )}
                </span>
              )}
              <div
                className={`rise max-w-[82%] rounded-m px-3 py-2 break-words ${mine ? "rounded-br-none bg-ink text-card" : "rounded-bl-none border border-line bg-card"} ${message.delivery === "pending" ? "opacity-70" : ""}`}
              >
                {close && !newDay && !answered ? (
                  <span className="sr-only">{mine ? "You" : nameOf(message.author_id)}: </span>
                ) : (
                  <p className={`text-xs ${mine ? "opacity-90" : "text-ink-soft"}`}>
                    {mine ? "You" : nameOf(message.author_id)}, {clockOf(message.created_at, viewerZone)}
                    {answered ? ` · to ${nameOf(answered.author_id)}: “${shorten(answered.body)}”` : ""}
                  </p>
                )}
                <p className="whitespace-pre-wrap">
                  {message.deleted_at ? <em className="opacity-75">Taken back</em> : message.body}
                </p>
              </div>
            </div>
            {message.delivery === "failed" ? (
              <p className="flex items-center justify-end gap-1 text-sm text-action">
                Not sent.
                <Button look="plain" onPress={() => retry(message)}>
                  Try again
                </Button>
              </p>
            ) : null}
          </li>
        );
      })}
    </ol>
  );
}

function Composer({ say, setTyping }: { say: (body: string) => void; setTyping: (typing: boolean) => void }) {
  const [text, setText] = useState("");
  const stop = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(stop.current), []);
  const type = (next: string) => {
    if (stop.current === undefined && next !== "") setTyping(true);
    clearTimeout(stop.current);
    stop.current = setTimeout(() => {
      stop.current = undefined;
      setTyping(false);
    }, TYPING_MS);
    setText(next);
  };
  const submit = () => {
    const body = messageBody.safeParse(text);
    if (!body.success) return;
    clearTimeout(stop.current);
    stop.current = undefined;
    setTyping(false);
    setText("");
    say(body.data);
  };
  return (
    <form
      className="flex items-end gap-2 border-t border-line bg-card p-3"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <label className="flex-1">
        <span className="sr-only">Message to the table</span>
        <textarea
          value={text}
          rows={1}
          maxLength={2000}
          placeholder="Message to the table"
          onChange={(event) => type(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault();
              submit();
            }
          }}
          className="field-sizing-content block max-h-40 min-h-11 w-full resize-none rounded-m border border-edge bg-ground px-3 py-2.5 placeholder:text-ink-soft"
        />
      </label>
      <Button type="submit" look="action" aria-label="Send" isDisabled={text.trim() === ""} round>
        <ArrowIcon aria-hidden className="size-5" />
      </Button>
    </form>
  );
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 38)}…` : text;
}
