/** Owns: the menu of a message: react, reply, copy, edit, delete. One menu serves the whole list. */
import { type RefObject, useRef } from "react";
import { Button as AriaButton, Dialog, Popover } from "react-aria-components";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { type Emoji, emojis, type Message } from "../../messages/schema.ts";
import { chatWords } from "../words.ts";

export interface MenuProps {
  message: Message;
  trigger: HTMLElement;
  me: string;
  host: boolean;
  close: () => void;
  react: (emoji: Emoji, on: boolean) => void;
  reply: () => void;
  edit: () => void;
  takeBack: () => void;
}

const item =
  "min-h-11 w-full cursor-pointer rounded-s px-3 text-left text-base data-[hovered]:bg-card-warm data-[focus-visible]:bg-card-warm";

export function MessageMenu({ message, trigger, me, host, close, ...actions }: MenuProps) {
  const words = chatWords();
  const announce = useAnnounce();
  const anchor: RefObject<HTMLElement | null> = useRef(trigger);
  anchor.current = trigger;
  const mine = message.author_id === me;
  const reactions = message.delivery === "sent" ? message.reactions : [];
  const then = (act: () => void) => () => {
    close();
    act();
  };
  return (
    <Popover
      triggerRef={anchor}
      isOpen
      onOpenChange={(open) => {
        if (!open) close();
      }}
      placement={mine ? "top end" : "top start"}
      className="rise rounded-m border border-line bg-card p-2 shadow-lift"
    >
      <Dialog aria-label={words.menu.label} className="flex w-66 flex-col outline-none">
        <div className="flex justify-between border-b border-line pb-1">
          {emojis.map((emoji, index) => {
            const on = reactions.some((each) => each.user_id === me && each.emoji === emoji);
            return (
              <AriaButton
                key={emoji}
                autoFocus={index === 0}
                aria-label={words.emojis[emoji]}
                aria-pressed={on}
                onPress={then(() => actions.react(emoji, !on))}
                className={`size-11 cursor-pointer rounded-full text-xl transition-transform duration-150 data-[hovered]:scale-115 ${on ? "bg-card-warm ring-1 ring-action" : ""}`}
              >
                {emoji}
              </AriaButton>
            );
          })}
        </div>
        <AriaButton className={`mt-1 ${item}`} onPress={then(actions.reply)}>
          {words.menu.reply}
        </AriaButton>
        {message.body !== "" ? (
          <AriaButton
            className={item}
            onPress={then(() => {
              void navigator.clipboard.writeText(message.body).then(
                () => announce(words.menu.copied),
                () => announce(words.menu.notCopied),
              );
            })}
          >
            {words.menu.copy}
          </AriaButton>
        ) : null}
        {mine ? (
          <AriaButton className={item} onPress={then(actions.edit)}>
            {words.menu.edit}
          </AriaButton>
        ) : null}
        {mine || host ? (
          <AriaButton className={`${item} text-action`} onPress={then(actions.takeBack)}>
            {words.menu.delete}
          </AriaButton>
        ) : null}
      </Dialog>
    </Popover>
  );
}
