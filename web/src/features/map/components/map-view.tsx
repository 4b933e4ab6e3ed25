/**
 * Owns: the map as screens use it. What draws it is fetched when a map first comes into view; without WebGL, or
 * when it cannot be fetched, it says so, and the list beside it says the same. The map can be skipped by keyboard.
 */
import { Component, lazy, type ReactNode, Suspense, useEffect, useId, useRef, useState } from "react";
import { Empty, Loading, Skeleton } from "../../../ui/notice.tsx";
import type { MapProps } from "../map-props.ts";
import { mapWords } from "../words.ts";

const MapCanvas = lazy(() => import("./map-canvas.tsx"));

export function MapView({ className = "h-80", ...props }: MapProps) {
  const words = mapWords();
  const end = useId();
  const box = useRef<HTMLElement>(null);
  const inView = useInView(box);
  return (
    <section ref={box} aria-label={props.label} className={`relative isolate ${className}`}>
      <a
        href={`#${end}`}
        className="sr-only z-20 rounded-s bg-card px-3 py-2 focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        {words.skip}
      </a>
      {!inView ? null : canDraw() ? (
        <Caught fallback={<Notice {...words.failed} />}>
          <Suspense
            fallback={
              <Loading what={words.loading}>
                <Skeleton className={`absolute inset-0 rounded-m`} />
              </Loading>
            }
          >
            <MapCanvas {...props} />
          </Suspense>
        </Caught>
      ) : (
        <Notice {...words.noGraphics} />
      )}
      <span id={end} tabIndex={-1} />
    </section>
  );
}

/** Whether an element has been in view, or nearly. */
function useInView(element: React.RefObject<HTMLElement | null>): boolean {
  const [inView, setInView] = useState(false);
  useEffect(() => {
    if (!element.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        setInView(true);
        observer.disconnect();
      },
      { rootMargin: "100px" },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return inView;
}

function Notice({ title, text }: { title: string; text: string }) {
  return (
    <div className="paper grid h-full place-items-center overflow-auto">
      <Empty title={title}>
        <p>{text}</p>
      </Empty>
    </div>
  );
}

let drawable: boolean | undefined;

/** Whether there is WebGL 2. Asked once: each context that is made counts against the browser's few. */
export function canDraw(): boolean {
  drawable ??= document.createElement("canvas").getContext("webgl2") !== null;
  return drawable;
}

class Caught extends Component<{ fallback: ReactNode; children: ReactNode }, { broken: boolean }> {
  override state = { broken: false };
  static getDerivedStateFromError() {
    return { broken: true };
  }
  override render() {
    return this.state.broken ? this.props.fallback : this.props.children;
  }
}
