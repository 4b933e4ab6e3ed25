/**
 * Owns: where a long conversation is scrolled to. Only blocks near the view are drawn. When blocks
 * above are measured or added, the visible messages keep their place, and a reader at the end stays at the end.
 */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** How far beyond the viewport blocks are rendered, so that scrolling shows no empty block. */
const NEAR = "1500px 0px";
/** Within this distance the reader counts as being at the end. */
const END_PX = 56;
/** Within this distance of the beginning the next older page is loaded. */
const TOP_PX = 900;

export function useScrolling(blocks: readonly string[], { atTop }: { atTop: () => void }) {
  const list = useRef<HTMLDivElement>(null);
  const elements = useRef(new Map<string, HTMLElement>());
  const heights = useRef(new Map<string, number>());
  const [near, setNear] = useState<ReadonlySet<string>>(new Set());
  const [atEnd, setAtEnd] = useState(true);
  const stick = useRef(true);
  const anchor = useRef<{ element: HTMLElement; offset: number } | null>(null);
  const onTop = useRef(atTop);
  onTop.current = atTop;

  const hold = useCallback(() => {
    const box = list.current;
    if (!box) return;
    if (stick.current) box.scrollTop = box.scrollHeight;
    else if (anchor.current?.element.isConnected) {
      const wanted = anchor.current.element.offsetTop + anchor.current.offset;
      if (Math.abs(box.scrollTop - wanted) > 1) box.scrollTop = wanted;
    }
  }, []);

  const look = useCallback(() => {
    const box = list.current;
    if (!box) return;
    stick.current = box.scrollHeight - box.scrollTop - box.clientHeight < END_PX;
    setAtEnd(stick.current);
    const inView = (child: Element): child is HTMLElement =>
      child instanceof HTMLElement && child.offsetTop + child.offsetHeight > box.scrollTop;
    const block = [...box.querySelectorAll("[data-block]")].find(inView);
    // Prefers a rendered message, because the content of blocks may change.
    const first = block && ([...block.children].find(inView) ?? block);
    anchor.current = first ? { element: first, offset: box.scrollTop - first.offsetTop } : null;
    if (box.scrollTop < TOP_PX) onTop.current();
  }, []);

  const observers = useRef<{ seen: IntersectionObserver; sized: ResizeObserver } | null>(null);
  useEffect(() => {
    const box = list.current;
    if (!box) return;
    const seen = new IntersectionObserver(
      (changes) =>
        setNear((before) => {
          const after = new Set(before);
          let changed = false;
          for (const { target, isIntersecting } of changes) {
            const key = (target as HTMLElement).dataset.block ?? "";
            if (isIntersecting === before.has(key)) continue;
            changed = true;
            if (isIntersecting) after.add(key);
            else after.delete(key);
          }
          return changed ? after : before;
        }),
      { root: box, rootMargin: NEAR },
    );
    const sized = new ResizeObserver((changes) => {
      for (const { target } of changes) {
        if (target instanceof HTMLElement && target.dataset.block !== undefined) {
          heights.current.set(target.dataset.block, target.offsetHeight);
        }
      }
      hold();
    });
    observers.current = { seen, sized };
    sized.observe(box);
    for (const element of elements.current.values()) {
      seen.observe(element);
      sized.observe(element);
    }
    return () => {
      observers.current = null;
      seen.disconnect();
      sized.disconnect();
    };
  }, [hold]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: any rendering may have moved the visible messages
  useLayoutEffect(hold, [blocks, near, hold]);
  // A page that does not fill the view cannot be scrolled to its beginning.
  // biome-ignore lint/correctness/useExhaustiveDependencies: checked once for each new set of blocks
  useEffect(look, [blocks, look]);

  const measure = useCallback((key: string, element: HTMLElement | null) => {
    const old = elements.current.get(key);
    if (old && old !== element) {
      observers.current?.seen.unobserve(old);
      observers.current?.sized.unobserve(old);
      elements.current.delete(key);
    }
    if (element && old !== element) {
      elements.current.set(key, element);
      observers.current?.seen.observe(element);
      observers.current?.sized.observe(element);
    }
  }, []);

  const toEnd = useCallback(() => {
    stick.current = true;
    setAtEnd(true);
    hold();
  }, [hold]);

  /** Scrolls the list, and never the page, to a row; the list no longer follows its end. */
  const show = useCallback(
    (row: HTMLElement, where: "start" | "center") => {
      const box = list.current;
      if (!box) return;
      stick.current = false;
      const above = where === "center" ? (box.clientHeight - row.offsetHeight) / 2 : 0;
      box.scrollTop += row.getBoundingClientRect().top - box.getBoundingClientRect().top - above;
      look();
    },
    [look],
  );

  return {
    list,
    look,
    measure,
    toEnd,
    show,
    atEnd,
    isNear: (key: string) => near.has(key),
    /** The height of a block while it is not rendered, in pixels. */
    heightOf: (key: string, count: number) => heights.current.get(key) ?? count * 58,
  };
}
