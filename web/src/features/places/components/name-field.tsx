/** Owns: the one field in which a place is found, or added by its name, a map link or an address. */
import { type ComponentProps, useEffect, useRef, useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Tick } from "../../../ui/fields/tick.tsx";
import { lazyOptional } from "../../../ui/lazy-optional.tsx";
import type { NewPlace } from "../schema.ts";
import { byNameWords } from "../words/by-name.ts";

/** As SQL: the check of places.name. */
const MOST_LETTERS = 80;
/** As SQL: the check of places.address. */
const MOST_OF_ADDRESS = 160;

const PastedPlace = lazyOptional(async () => (await import("./pasted-place.tsx")).PastedPlace);

/** A link, a geo: address, or a pair of coordinates. */
const LINK = /https?:\/\/|^\s*geo:|^\s*-?\d+\.\d{3,}\s*,/i;
/** A house number beside a word. */
const ADDRESS = /(?=.*\p{Letter}{3})(?=.*\d)/u;

/** Whether two names are one to a reader: "PIZZERIA nonna" is "Pizzeria Nonna". */
export function isSameName(a: string, b: string): boolean {
  return a.trim().localeCompare(b.trim(), undefined, { sensitivity: "base" }) === 0;
}

export function NameField({
  value,
  onChange,
  onAdd,
  taken,
  unknown,
  look,
  busy = false,
  autoFocus = false,
  mayBeHome = true,
  label = byNameWords().label,
  problem,
}: {
  value: string;
  onChange: (value: string) => void;
  onAdd: (place: NewPlace) => void;
  /** The names on the plan, which are not added again. */
  taken: readonly string[];
  /** Whether no place is found by what was typed: Enter then adds it. Undefined while it is looked for. */
  unknown: boolean | undefined;
  look?: ComponentProps<typeof Button>["look"];
  busy?: boolean;
  autoFocus?: boolean;
  /** Whether it may be said to be at the person's own home. */
  mayBeHome?: boolean;
  /** Where nothing is looked for. */
  label?: string;
  problem?: string | undefined;
}) {
  const words = byNameWords();
  const box = useRef<HTMLDivElement>(null);
  const name = value.trim();
  const isLink = LINK.test(value);
  /** What the link or address said beside the name. */
  const [found, setFound] = useState<Omit<NewPlace, "name">>();
  const [home, setHome] = useState(false);
  const [homeAddress, setHomeAddress] = useState("");
  const there = taken.some((one) => isSameName(one, name));
  const add = () => {
    // The button goes with the text.
    box.current?.querySelector("input")?.focus();
    onAdd({
      name,
      ...found,
      ...(home ? { home, address: homeAddress.trim() || (found?.address ?? "") } : {}),
    });
    setFound(undefined);
    setHome(false);
    setHomeAddress("");
  };
  // Enter may be quicker than the search: it counts as soon as that has ended.
  const [entered, setEntered] = useState("");
  useEffect(() => {
    if (entered === "" || unknown === undefined) return;
    setEntered("");
    if (entered === name && unknown && !there && !busy && !isLink) add();
  });
  return (
    <div ref={box} className="flex flex-col gap-2">
      <Field
        label={label}
        type="search"
        autoComplete="off"
        autoFocus={autoFocus}
        {...(isLink || name === "" ? {} : { maxLength: MOST_LETTERS })}
        help={found && name === "" ? words.called : words.help}
        problem={problem}
        value={value}
        onChange={(text) => {
          if (LINK.test(text)) setFound(undefined);
          onChange(text);
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
          // Not the form around it.
          event.preventDefault();
          setEntered(name);
        }}
      />
      {!found && (isLink || (unknown && ADDRESS.test(name))) ? (
        <PastedPlace
          text={name}
          isLink={isLink}
          onFound={({ name: called, ...rest }) => {
            setFound(rest);
            onChange([...called].slice(0, MOST_LETTERS).join(""));
          }}
        />
      ) : null}
      <p role="status" className="text-sm text-ink-soft empty:hidden">
        {found ? (found.address ? words.foundAt(found.address) : words.found) : ""}
      </p>
      {name !== "" && !isLink && !there && mayBeHome ? (
        <>
          <Tick on={home} onChange={setHome}>
            {words.home}
          </Tick>
          {home ? (
            <Field
              label={words.homeAddress}
              help={words.homeHelp}
              autoComplete="street-address"
              maxLength={MOST_OF_ADDRESS}
              value={homeAddress}
              onChange={setHomeAddress}
            />
          ) : null}
        </>
      ) : null}
      {name === "" || isLink ? null : there ? (
        <p className="text-sm text-ink-soft">{words.there(name)}</p>
      ) : (
        <Button
          {...(look ? { look } : {})}
          busy={busy}
          onPress={add}
          className="max-w-full self-start py-2 [overflow-wrap:anywhere]"
        >
          {words.add(name)}
        </Button>
      )}
    </div>
  );
}
