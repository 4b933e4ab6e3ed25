/** Owns: choosing files by a button of one's own; the browser's input stays out of sight and out of the way of focus. */
import { type ReactNode, useRef } from "react";

/** `children` get the function that opens the browser's own picker. Choosing the same file again counts again. */
export function PickFiles({
  accept,
  multiple = false,
  onPick,
  children,
}: {
  /** Media types. */
  accept: readonly string[];
  multiple?: boolean;
  onPick: (files: File[]) => void;
  children: (open: () => void) => ReactNode;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      {children(() => input.current?.click())}
      <input
        ref={input}
        type="file"
        accept={accept.join(",")}
        multiple={multiple}
        hidden
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          event.target.value = "";
          if (files.length > 0) onPick(files);
        }}
      />
    </>
  );
}
