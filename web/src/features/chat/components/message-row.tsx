/** Owns: one message on the screen: author, time, the message it replies to, text or photo, and reactions. */
import { memo } from "react";
import { clockOf } from "../../../lib/time.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { Button } from "../../../ui/button.tsx";
import { ClockIcon, HeartIcon } from "../../../ui/icons.ts";
import { type Emoji, emojis, type Message } from "../../messages/schema.ts";
import { faceOf } from "../../people/queries.ts";
import type { Photo } from "../../photos/queries.ts";
import type { People } from "../people.ts";
import { chatWords } from "../words.ts";
import { Answered } from "./answered.tsx";
import { MessageText } from "./message-text.tsx";

/** The actions on a message; the same object for all rows, so that it causes no rendering. */
export interface RowActions {
  openMenu: (message: Message, trigger: HTMLElement) => void;
  react: (message: Message, emoji: Emoji, on: boolean) => void;
  jumpTo: (id: string) => void;
  openPhoto: (id: string) => void;
  retry: (message: Message) => void;
  drop: (message: Message) => void;
}

export interface RowProps {
  message: Message;
  /** Follows another message of the same person. */
  close: boolean;
  /** The name of the day that starts with it: "Today". */
  day: string | null;
  /** The first unread message. */
  unread: boolean;
  /** Highlighted after a jump to it. */
  found: boolean;
  /** The message that Tab focuses. */
  tabStop: boolean;
  answered: Message | undefined;
  photo: Photo | undefined;
  people: People;
  me: string;
  zone: string;
  online: boolean;
  actions: RowActions;
}

export const MessageRow = memo(function MessageRow(props: RowProps) {
  const { message, close, day, unread, found, people, me, zone, actions } = props;
  const words = chatWords();
  const mine = message.author_id === me;
  const name = mine ? words.you : people.nameOf(message.author_id);
  const gone = message.delivery === "sent" && message.deleted_at !== null;
  const time = clockOf(message.created_at, zone);
  const quiet = message.delivery !== "sent" || gone;
  return (
    // biome-ignore lint/a11y/useSemanticElements: an item of a list that has blocks between
    <div
      role="listitem"
      data-message={message.id}
      className={`group flex flex-col ${close ? "pt-1" : "pt-4"} ${found ? "rounded-m bg-glow/25 transition-colors duration-250" : ""}`}
    >
      {day ? <p className="mb-3 text-center text-xs text-ink-soft">{day}</p> : null}
      {unread ? (
        <p className="mb-3 flex items-center gap-3 text-xs font-semibold text-action before:h-px before:flex-1 before:bg-action/60 after:h-px after:flex-1 after:bg-action/60">
          {words.unread}
        </p>
      ) : null}
      <div className={`flex items-end gap-2 ${mine ? "flex-row-reverse" : ""}`}>
        {mine ? null : (
          <span className="w-7 shrink-0">
            {close ? null : (
              <Avatar face={faceOf(message.author_id ?? "gone", people.of(message.author_id))} size={28} />
            )}
          </span>
        )}
        <div className={`flex max-w-[80%] min-w-0 flex-col ${mine ? "items-end" : "items-start"}`}>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: a shortcut to what the button beside it does */}
          <div
            onContextMenu={(event) => {
              const trigger = event.currentTarget.parentElement?.parentElement?.querySelector("[data-menu]");
              // A long press on a phone; a right click on a link opens the browser's own menu.
              if (quiet || event.target instanceof HTMLAnchorElement || !(trigger instanceof HTMLElement))
                return;
              event.preventDefault();
              actions.openMenu(message, trigger);
            }}
            className={`max-w-full rounded-m px-3 py-2 ${mine ? "rounded-br-none bg-ink text-card" : "rounded-bl-none border border-line bg-card"} ${message.delivery === "pending" ? "opacity-75" : ""}`}
          >
            {message.reply_to ? (
              <Answered
                id={message.reply_to}
                known={props.answered}
                people={people}
                me={me}
                jumpTo={actions.jumpTo}
              />
            ) : null}
            {close ? (
              <span className="sr-only">{words.saidAt(name, time)}</span>
            ) : (
              <p className={`text-xs ${mine ? "opacity-85" : "text-ink-soft"}`}>
                {words.saidAt(name, time)}
                {message.delivery === "sent" && message.edited_at && !gone ? ` · ${words.edited}` : ""}
              </p>
            )}
            {gone ? <p className="italic opacity-75">{words.deleted}</p> : null}
            {message.photo_id ? <PhotoInMessage {...props} name={name} /> : null}
            {!gone && message.body !== "" ? <MessageText text={message.body} /> : null}
          </div>
          <Reactions {...props} />
        </div>
        {quiet ? null : (
          <button
            type="button"
            data-menu
            tabIndex={props.tabStop ? 0 : -1}
            aria-label={words.menu.open(name, message.body.slice(0, 80) || words.photo)}
            aria-haspopup="dialog"
            onClick={(event) => actions.openMenu(message, event.currentTarget)}
            className="grid size-9 shrink-0 cursor-pointer place-items-center self-center rounded-full text-ink-soft opacity-70 transition-opacity duration-150 group-hover:opacity-100 hover:bg-card-warm hover:text-action focus-visible:opacity-100 pointer-fine:opacity-0"
          >
            <HeartIcon aria-hidden className="size-4" />
          </button>
        )}
      </div>
      <Delivery {...props} />
    </div>
  );
});

function PhotoInMessage({ photo, name, actions }: RowProps & { name: string }) {
  const words = chatWords();
  if (!photo?.url) return <p className="italic opacity-75">{words.photoGone}</p>;
  return (
    <button
      type="button"
      aria-label={words.openPhoto(name)}
      onClick={() => actions.openPhoto(photo.id)}
      className="my-1 block cursor-zoom-in overflow-hidden rounded-s"
    >
      <img
        src={photo.url}
        alt={photo.caption}
        width={photo.width}
        height={photo.height}
        loading="lazy"
        className="h-auto max-h-72 w-auto max-w-full"
      />
    </button>
  );
}

function Reactions({ message, people, me, actions }: RowProps) {
  const words = chatWords();
  if (message.delivery !== "sent" || message.reactions.length === 0 || message.deleted_at) return null;
  return (
    <ul className="-mt-1 flex flex-wrap gap-1 px-1">
      {emojis.map((emoji) => {
        const by = message.reactions.filter((each) => each.emoji === emoji).map((each) => each.user_id);
        if (by.length === 0) return null;
        const on = by.includes(me);
        const names = by.map((id) => (id === me ? words.you : people.nameOf(id)));
        return (
          <li key={emoji}>
            <button
              type="button"
              aria-pressed={on}
              aria-label={`${words.reaction(words.emojis[emoji], names)}, ${by.length}`}
              title={words.reaction(words.emojis[emoji], names)}
              onClick={() => actions.react(message, emoji, !on)}
              className={`pop flex min-h-7 cursor-pointer items-center gap-1 rounded-full border px-2 text-sm ${on ? "border-action bg-card-warm font-semibold" : "border-line bg-card"}`}
            >
              {emoji} <span className="numerals text-xs">{by.length}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** The state of the person's own message that the server does not have yet. */
function Delivery({ message, online, actions }: RowProps) {
  const words = chatWords();
  if (message.delivery === "sent") return null;
  if (message.delivery === "pending") {
    return (
      <p className="flex items-center justify-end gap-1 pt-0.5 text-xs text-ink-soft">
        <ClockIcon aria-hidden className="size-3" /> {online ? words.onItsWay : words.waiting}
      </p>
    );
  }
  return (
    <div role="alert" className="flex flex-wrap items-center justify-end gap-x-1 text-sm text-action">
      <span>
        {words.notSent} {message.refused?.message} {message.refused?.hint}
      </span>
      <Button look="plain" onPress={() => actions.retry(message)}>
        {words.retry}
      </Button>
      <Button look="plain" onPress={() => actions.drop(message)}>
        {words.drop}
      </Button>
    </div>
  );
}
