/**
 * Owns: the tabs of a plan, after the ARIA pattern with automatic activation: one of them is in the order of
 * Tab, the arrow keys walk and show, Home and End lead to the first and the last.
 */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from "react";

export function Tabs<Id extends string>({
  label,
  tabs,
  selected,
  onSelect,
  panelClassName = "",
  children,
}: {
  label: string;
  tabs: readonly (readonly [Id, string])[];
  selected: Id;
  onSelect: (id: Id) => void;
  panelClassName?: string;
  /** What the selected tab shows. */
  children: ReactNode;
}) {
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const walk = (event: KeyboardEvent) => {
    const index = tabs.findIndex(([id]) => id === selected);
    const next = {
      ArrowRight: tabs[(index + 1) % tabs.length],
      ArrowLeft: tabs[(index - 1 + tabs.length) % tabs.length],
      Home: tabs[0],
      End: tabs.at(-1),
    }[event.key];
    if (!next) return;
    event.preventDefault();
    onSelect(next[0]);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next[0]}"]`)?.focus();
  };
  useEffect(() => {
    // On a phone the tabs are wider than the screen: the one that is shown is in sight.
    const bar = list.current;
    const tab = bar?.querySelector<HTMLElement>(`[data-tab="${selected}"]`);
    if (!bar || !tab) return;
    const hidden =
      tab.offsetLeft < bar.scrollLeft || tab.offsetLeft + tab.offsetWidth > bar.scrollLeft + bar.clientWidth;
    if (hidden) bar.scrollLeft = tab.offsetLeft - (bar.clientWidth - tab.offsetWidth) / 2;
  }, [selected]);
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        onKeyDown={walk}
        className="sticky top-0 z-30 -mx-4 flex gap-1 overflow-x-auto border-b border-line bg-ground px-4 sm:mx-0 sm:px-0"
      >
        {tabs.map(([id, word]) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`${base}-tab-${id}`}
            data-tab={id}
            aria-selected={id === selected}
            aria-controls={id === selected ? `${base}-panel` : undefined}
            tabIndex={id === selected ? 0 : -1}
            onClick={() => onSelect(id)}
            className="flex min-h-12 cursor-pointer items-center border-b-[3px] border-transparent px-2.5 font-semibold whitespace-nowrap text-ink-soft transition-colors duration-150 outline-offset-[-4px] hover:text-ink aria-selected:border-action aria-selected:text-ink"
          >
            {word}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${base}-panel`}
        aria-labelledby={`${base}-tab-${selected}`}
        className={panelClassName}
      >
        {children}
      </div>
    </div>
  );
}
