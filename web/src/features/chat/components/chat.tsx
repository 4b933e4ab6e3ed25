/** Owns: the conversation of a plan: the list, who is typing, and the composer. */
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useOnline } from "../../../lib/device/online.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { MessageIcon } from "../../../ui/icons.ts";
import { Empty, ErrorNotice, Loading } from "../../../ui/notice.tsx";
import { deleteMessage } from "../../messages/mutations.ts";
import type { Emoji, Message, MessageRow } from "../../messages/schema.ts";
import { outbox } from "../../outbox/device.ts";
import { PhotoViewer } from "../../photos/components/photo-viewer.tsx";
import { photoQueries } from "../../photos/queries.ts";
import { usePlanLive } from "../../plans/realtime.tsx";
import type { Member } from "../../plans/schema.ts";
import { usePeople } from "../people.ts";
import { useMarkRead, useUnreadLine } from "../reading.ts";
import { useConversation } from "../sync.ts";
import { chatWords } from "../words.ts";
import { Composer, type Mode } from "./composer.tsx";
import { MessageList } from "./message-list.tsx";
import { MessageMenu } from "./message-menu.tsx";
import type { RowActions } from "./message-row.tsx";

interface ChatProps {
  planId: string;
  me: string;
  members: readonly Member[];
  viewerZone: string;
}

export function Chat({ planId, me, members, viewerZone }: ChatProps) {
  const words = chatWords();
  const live = usePlanLive();
  const online = useOnline();
  const announce = useAnnounce();
  const people = usePeople(members);
  const heard = useCallback(
    (row: MessageRow) => {
      const name = people.nameOf(row.author_id);
      announce(row.body === "" ? chatWords().sharedPhoto(name) : chatWords().says(name, row.body));
    },
    [people, announce],
  );
  const talk = useConversation(planId, me, heard);
  const { messages, query } = talk;
  const mine = members.find((member) => member.user_id === me);
  const unread = useUnreadLine(planId, me, mine?.joined_at ?? "1970-01-01T00:00:00Z", messages);
  const [atEnd, setAtEnd] = useState(true);
  useMarkRead(planId, messages, atEnd && query.isSuccess);

  const withPhotos = messages.some((message) => message.photo_id !== null);
  const photos = useQuery({ ...photoQueries.ofPlan(planId), enabled: withPhotos });
  const photoById = useMemo(() => new Map(photos.data?.map((photo) => [photo.id, photo])), [photos.data]);
  const missing = messages.some((message) => message.photo_id && !photoById.has(message.photo_id));
  const { refetch } = photos;
  useEffect(() => {
    // A photo that arrived with a new message.
    if (missing) void refetch();
  }, [missing, refetch]);

  const [mode, setMode] = useState<Mode>({ kind: "new" });
  const [menu, setMenu] = useState<{ message: Message; trigger: HTMLElement } | null>(null);
  const [target, setTarget] = useState<{ id: string } | null>(null);
  const [seen, setSeen] = useState<string | null>(null);
  const [problem, setProblem] = useState<unknown>(null);

  const trying = useCallback(async (work: () => Promise<unknown>) => {
    setProblem(null);
    await work().catch(setProblem);
  }, []);
  const { setReaction, catchUp, backTo } = talk;
  const react = useCallback(
    (message: Message, emoji: Emoji, on: boolean) => void trying(() => setReaction(message, emoji, on)),
    [trying, setReaction],
  );
  const actions = useMemo(
    (): RowActions => ({
      openMenu: (message, trigger) => setMenu({ message, trigger }),
      react,
      jumpTo: (id) =>
        void trying(async () => {
          if (await backTo(id)) setTarget({ id });
        }),
      openPhoto: setSeen,
      retry: (message) => void outbox.retry(message.client_id),
      drop: (message) => void outbox.drop(message.client_id),
    }),
    [react, backTo, trying],
  );
  const loading = query.isPending || !unread.ready;
  const typing = members.filter((member) => member.user_id !== me && live.typing.has(member.user_id));
  return (
    <section aria-label={words.chat} className="flex h-full min-h-0 flex-col">
      {loading ? (
        <Loading
          what={words.conversation}
          className="flex flex-col gap-4 p-4"
          shapes={["h-12 w-3/4", "ml-auto h-12 w-1/2", "h-16 w-2/3"]}
        />
      ) : !query.data ? (
        <ErrorNotice error={query.error} retry={() => void query.refetch()} />
      ) : null}
      {messages.length > 0 && (!loading || !online) ? (
        // A new list once the conversation is loaded: it opens at the first unread message.
        <MessageList
          key={query.data ? "conversation" : "outbox"}
          messages={messages}
          hasOlder={talk.hasOlder}
          older={talk.older}
          unreadKey={unread.key}
          target={target}
          photos={photoById}
          people={people}
          me={me}
          zone={viewerZone}
          online={online}
          actions={actions}
          onEnd={setAtEnd}
        />
      ) : (
        <div className="flex-1">
          {query.data && !loading ? (
            <Empty
              title={words.empty.title}
              picture={<MessageIcon aria-hidden className="size-10 text-edge" />}
            >
              <p>{words.empty.text}</p>
            </Empty>
          ) : null}
        </div>
      )}
      <p className="min-h-6 px-4 text-sm text-ink-soft italic" aria-live="polite">
        {typing.length > 0 ? words.typing(typing.map((member) => people.nameOf(member.user_id))) : ""}
      </p>
      {problem ? (
        <div className="px-4 pb-2">
          <ErrorNotice error={problem} />
        </div>
      ) : null}
      <Composer
        planId={planId}
        me={me}
        mode={mode}
        setMode={setMode}
        nameOf={(id) => (id === me ? words.you : people.nameOf(id))}
        say={(message) =>
          void trying(() => outbox.add({ kind: "message", plan_id: planId, ...message }, crypto.randomUUID()))
        }
        lastOwn={() =>
          messages.findLast(
            (message) => message.author_id === me && message.delivery === "sent" && !message.deleted_at,
          )
        }
        current={(id) => messages.find((message) => message.id === id)}
        edited={catchUp}
        setTyping={live.setTyping}
      />
      {menu ? (
        <MessageMenu
          {...menu}
          me={me}
          host={mine !== undefined && mine.role !== "guest"}
          close={() => setMenu(null)}
          react={(emoji, on) => react(menu.message, emoji, on)}
          reply={() => setMode({ kind: "reply", to: menu.message })}
          edit={() => setMode({ kind: "edit", message: menu.message })}
          takeBack={() => void trying(() => deleteMessage(menu.message.id).finally(catchUp))}
        />
      ) : null}
      {seen ? (
        <PhotoViewer
          photos={photos.data ?? []}
          at={seen}
          setAt={setSeen}
          nameOf={(id) => (id === me ? words.you : people.nameOf(id))}
          zone={viewerZone}
        />
      ) : null}
    </section>
  );
}
