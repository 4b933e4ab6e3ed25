// @vitest-environment jsdom
/** A person's picture, and their initials where it cannot be shown. */
import { cleanup, fireEvent, render } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { Avatar } from "./avatar.tsx";

afterEach(cleanup);

it("shows the initials for a picture that is gone, and the next picture again", () => {
  const face = { id: "ana", name: "Ana Costa", picture: "/old.webp" };
  const { container, rerender } = render(<Avatar face={face} />);
  const picture = () => container.querySelector("img")?.getAttribute("src");
  expect(picture()).toBe("/old.webp");
  fireEvent.error(container.querySelector("img") as Element);
  expect(picture()).toBeUndefined();
  expect(container.textContent).toBe("AC");
  rerender(<Avatar face={{ ...face, picture: "/new.webp" }} />);
  expect(picture()).toBe("/new.webp");
});
