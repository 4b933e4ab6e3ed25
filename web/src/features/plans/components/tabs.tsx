/**
 * Owns: the tabs of a plan, following the ARIA pattern with automatic activation: one tab is in the tab
 * order, arrow keys select a neighbour, Home and End select the first and the last.
 */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from "react";

/** Between the bar and the panel, as in the layout (gap-4). */
const GAP = 16;

/** Events by which a person scrolls the page themselves. */
const acts = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

export function Tabs<Id extends string>({
  label,
  tabs,
  marks = {},
  selected,
  onSelect,
  className = "",
  panelClassName = "",
  children,
}: {
  label: string;
  tabs: readonly (readonly [Id, string])[];
  /** Of tabs with a dot, or a count in it: what it says to screen readers. */
  marks?: Partial<Record<Id, { text: string; count?: number }>>;
  selected: Id;
  onSelect: (id: Id) => void;
  className?: string;
  panelClassName?: string;
  /** The content of the selected tab. */
  children: ReactNode;
}) {
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const shownBefore = useRef(selected);
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
    if (shownBefore.current === selected) return;
    shownBefore.current = selected;
    // The bar is sticky; a new panel must begin below it, not behind it. While the panel loads, the browser's
    // scroll anchoring moves the page, so the position is held until the person scrolls.
    const shown = panel.current;
    // Without ResizeObserver (jsdom) there is no layout either.
    if (!shown || typeof ResizeObserver !== "function") return;
    const show = () => {
      const bar = list.current?.getBoundingClientRect().bottom ?? 0;
      const hiddenBy = bar - shown.getBoundingClientRect().top;
      if (hiddenBy > 0) window.scrollBy({ top: -hiddenBy - GAP, behavior: "instant" });
    };
    const observer = new ResizeObserver(() => requestAnimationFrame(show));
    observer.observe(shown);
    const stop = () => observer.disconnect();
    for (const act of acts) addEventListener(act, stop, { once: true, passive: true });
    return () => {
      stop();
      for (const act of acts) removeEventListener(act, stop);
    };
  }, [selected]);
  useEffect(() => {
    // On a phone the tabs are wider than the screen: keep the selected one visible.
    const bar = list.current;
    const tab = bar?.querySelector<HTMLElement>(`[data-tab="${selected}"]`);
    if (!bar || !tab) return;
    const hidden =
      tab.offsetLeft < bar.scrollLeft || tab.offsetLeft + tab.offsetWidth > bar.scrollLeft + bar.clientWidth;
    if (hidden) bar.scrollLeft = tab.offsetLeft - (bar.clientWidth - tab.offsetWidth) / 2;
  }, [selected]);
  return (
    <div className={`flex min-w-0 flex-col gap-4 ${className}`}>
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
            aria-describedby={marks[id] ? `${base}-mark-${id}` : undefined}
            tabIndex={id === selected ? 0 : -1}
            onClick={() => onSelect(id)}
            className="relative flex min-h-12 cursor-pointer items-center border-b-[3px] border-transparent px-2.5 font-semibold whitespace-nowrap text-ink-soft transition-colors duration-150 outline-offset-[-4px] hover:text-ink aria-selected:border-action aria-selected:text-ink"
          >
            {word}
            {marks[id] ? (
              <span
                aria-hidden
                className={`absolute rounded-full bg-action ${
                  marks[id].count
                    ? "top-0.5 -right-1.5 min-w-4.5 px-1 text-center text-xs leading-4.5 text-on-action"
                    : "top-2 right-0.5 size-2"
                }`}
              >
                {marks[id].count}
              </span>
            ) : null}
          </button>
        ))}
      </div>
      {tabs.map(([id]) =>
        marks[id] ? (
          <span key={id} hidden id={`${base}-mark-${id}`}>
            {marks[id]?.text}
          </span>
        ) : null,
      )}
      <div
        ref={panel}
        role="tabpanel"
        id={`${base}-panel`}
        aria-labelledby={`${base}-tab-${selected}`}
        className={`scroll-mt-16 ${panelClassName}`}
      >
        {children}
      </div>
    </div>
  );
}
