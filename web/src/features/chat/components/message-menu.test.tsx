// @vitest-environment jsdom
/** Copying a message where the browser refuses it. */
import { cleanup, configure, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { AnnouncerProvider } from "../../../ui/announcer.tsx";
import type { Message } from "../../messages/schema.ts";
import { MessageMenu } from "./message-menu.tsx";

// A busy machine needs longer to load a part than a second.
configure({ asyncUtilTimeout: 20_000 });
afterEach(cleanup);

it("says that the browser did not copy a message", async () => {
  const user = userEvent.setup();
  vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new DOMException("Denied", "NotAllowedError"));
  const act = () => {};
  render(
    <AnnouncerProvider>
      <MessageMenu
        message={{ id: "m", body: "At eight", delivery: "pending", author_id: "ben" } as unknown as Message}
        trigger={document.body}
        me="ana"
        host={false}
        close={act}
        react={act}
        reply={act}
        edit={act}
        takeBack={act}
      />
    </AnnouncerProvider>,
  );
  await user.click(screen.getByRole("button", { name: "Copy" }));
  expect(await screen.findByText("Your browser didn't let us copy.")).toBeDefined();
});
