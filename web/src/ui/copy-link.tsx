/** Owns: an address to hand on: shown, copied, and given to the system's own way of sharing. */
import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import { Field } from "./fields/field.tsx";
import { copyWords } from "./words/copy.ts";

/**
 * @param share what goes with it when it is shared; left out, it is only copied
 * @param autoFocus whether the button takes the focus, which stood on the button that made the address
 */
export function CopyLink({
  label,
  address,
  share,
  autoFocus = false,
  look = "action",
  copyText = copyWords().copy,
  help,
  children,
}: {
  label: string;
  address: string;
  share?: string;
  autoFocus?: boolean;
  look?: "action" | "quiet";
  /** The button's text, for a screen with two such buttons. */
  copyText?: string;
  help?: string;
  /** Another button, before the others. */
  children?: ReactNode;
}) {
  const words = copyWords();
  const [copied, setCopied] = useState<boolean | null>(null);
  const copy = () =>
    navigator.clipboard.writeText(address).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  const data = { title: "Nosh", text: share ?? "", url: address };
  const shareable = share !== undefined && (navigator.canShare?.(data) ?? false);
  return (
    <div className="flex flex-col gap-3">
      <Field label={label} value={address} help={help} isReadOnly inputClassName="text-sm" />
      <div className="flex flex-wrap gap-2">
        {children}
        <Button look={look} autoFocus={autoFocus} onPress={() => void copy()}>
          {copied ? words.copied : copyText}
        </Button>
        {shareable ? (
          // Putting the system's sheet away again is no error.
          <Button onPress={() => void navigator.share(data).catch(() => undefined)}>{words.share}</Button>
        ) : null}
      </div>
      <p role="status" className={copied === false ? "text-sm" : "sr-only"}>
        {copied === null ? "" : copied ? words.inClipboard : words.notCopied}
      </p>
    </div>
  );
}
