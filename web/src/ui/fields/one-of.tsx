/** Owns: a row of buttons of which one is chosen. As with radio buttons, Tab leads to the chosen one. */
import { useContext } from "react";
import {
  ToggleButton,
  ToggleButtonGroup,
  type ToggleButtonGroupProps,
  type ToggleButtonProps,
  ToggleGroupStateContext,
} from "react-aria-components";

export function OneOf(props: ToggleButtonGroupProps) {
  return (
    // The group leads back to the button that Tab has left: that is the chosen one.
    <div
      role="presentation"
      className="contents"
      onKeyDownCapture={({ key, currentTarget }) => {
        if (key === "Tab") currentTarget.querySelector<HTMLElement>('[aria-checked="true"]')?.focus();
      }}
    >
      <ToggleButtonGroup {...props} selectionMode="single" />
    </div>
  );
}

export function One(props: ToggleButtonProps & { id: string }) {
  const chosen = useContext(ToggleGroupStateContext)?.selectedKeys;
  return <ToggleButton {...props} excludeFromTabOrder={chosen?.size === 1 && !chosen.has(props.id)} />;
}
