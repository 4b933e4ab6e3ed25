/** Owns: a row of buttons of which one is chosen. As with radio buttons, Tab leads to the chosen one. */
import { type ComponentProps, type KeyboardEvent, useContext } from "react";
import { ToggleButton, ToggleButtonGroup, ToggleGroupStateContext } from "react-aria-components";

export function OneOf(props: ComponentProps<typeof ToggleButtonGroup>) {
  return (
    <div role="presentation" className="contents" onKeyDownCapture={leaveFromChosen}>
      <ToggleButtonGroup {...props} selectionMode="single" />
    </div>
  );
}

/** The group leads back to the button that Tab has left. */
function leaveFromChosen({ key, currentTarget }: KeyboardEvent<HTMLElement>) {
  if (key === "Tab") currentTarget.querySelector<HTMLElement>('[aria-checked="true"]')?.focus();
}

export function One(props: ComponentProps<typeof ToggleButton> & { id: string }) {
  const chosen = useContext(ToggleGroupStateContext)?.selectedKeys;
  return <ToggleButton {...props} excludeFromTabOrder={chosen?.size === 1 && !chosen.has(props.id)} />;
}
