/** Owns: inviting by mail: addresses as chips, and what became of each. */
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Button as AriaButton, Tag, TagGroup, TagList } from "react-aria-components";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Form } from "../../../ui/fields/form.tsx";
import { CheckIcon, ClockIcon } from "../../../ui/icons.ts";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { addressesIn, isAddress } from "../addresses.ts";
import { inviteByMail, type Mailed } from "../mutations.ts";
import { inviteWords } from "../words.ts";

const NONE: readonly Mailed[] = [];

export function MailForm({ plan }: { plan: string }) {
  const words = inviteWords().mail;
  const [addresses, setAddresses] = useState<readonly string[]>([]);
  const [typed, setTyped] = useState("");
  const send = useMutation({
    mutationFn: (all: readonly string[]) => inviteByMail(plan, all),
    onSuccess: () => {
      setAddresses([]);
      setTyped("");
    },
  });
  const all = [...new Set([...addresses, ...addressesIn(typed)])];
  const bad = all.find((address) => !isAddress(address));
  const [asked, setAsked] = useState(false);
  /** Takes over what is typed, up to the last one while it is still being written. */
  const type = (next: string) => {
    setAsked(false);
    if (!/[\s,;]/.test(next)) return setTyped(next);
    take(next);
  };
  const take = (text: string) => {
    const found = addressesIn(text);
    setAddresses((before) => [...new Set([...before, ...found.filter(isAddress)])]);
    // Text that is not an address stays in the field.
    setTyped(found.filter((address) => !isAddress(address)).join(" "));
  };
  return (
    <Form
      aria-label={words.heading}
      noValidate
      className="flex flex-col gap-3 border-t border-line pt-4"
      submit={() => {
        setAsked(true);
        if (all.length > 0 && bad === undefined) send.mutate(all);
      }}
    >
      <h3 className="text-lg">{words.heading}</h3>
      <p className="text-ink-soft">{words.text}</p>
      {addresses.length > 0 ? (
        <TagGroup
          aria-label={words.field}
          onRemove={(keys) => setAddresses((before) => before.filter((address) => !keys.has(address)))}
        >
          <TagList className="flex flex-wrap gap-2">
            {addresses.map((address) => (
              <Tag
                key={address}
                id={address}
                textValue={address}
                className="flex max-w-full items-center gap-1 rounded-full border border-edge bg-card-warm pl-3 text-sm"
              >
                <span className="truncate">{address}</span>
                <AriaButton
                  slot="remove"
                  aria-label={words.takeOff(address)}
                  className="grid size-9 shrink-0 cursor-pointer place-items-center rounded-full text-lg leading-none hover:text-action"
                >
                  <span aria-hidden>×</span>
                </AriaButton>
              </Tag>
            ))}
          </TagList>
        </TagGroup>
      ) : null}
      <Field
        label={words.field}
        help={words.help}
        inputMode="email"
        autoComplete="off"
        value={typed}
        onChange={type}
        onKeyDown={(event) => {
          if (event.key === "Enter" && typed.trim() !== "") {
            event.preventDefault();
            take(typed);
          }
          if (event.key === "Backspace" && typed === "") setAddresses(addresses.slice(0, -1));
        }}
        problem={asked && bad !== undefined ? words.bad(bad) : undefined}
      />
      <Button type="submit" busy={send.isPending} isDisabled={all.length === 0} className="self-start">
        {words.send(all.length)}
      </Button>
      {send.isError ? <ErrorNotice error={send.error} /> : null}
      <Outcomes mailed={send.data ?? NONE} />
    </Form>
  );
}

function Outcomes({ mailed }: { mailed: readonly Mailed[] }) {
  const words = inviteWords().mail;
  const list = useRef<HTMLDivElement>(null);
  // The button that was pressed is disabled again, and would lose the focus.
  useEffect(() => {
    if (mailed.length > 0) list.current?.focus();
  }, [mailed]);
  return (
    <div ref={list} role="status" tabIndex={-1} className="outline-none empty:hidden">
      {mailed.length > 0 ? (
        <ul className="flex flex-col gap-1 text-sm">
          {mailed.map(({ address, outcome }) => (
            <li key={address} className="flex items-start gap-2 [overflow-wrap:anywhere]">
              {outcome === "waiting" ? (
                <CheckIcon aria-hidden className="mt-0.5 size-4 shrink-0 text-yes" />
              ) : (
                <ClockIcon aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-soft" />
              )}
              {words.outcome(address, words.outcomes[outcome])}
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
