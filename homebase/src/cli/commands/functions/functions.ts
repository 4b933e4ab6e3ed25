/** Owns `homebase functions`: its subcommands. */
import { group } from "../../kit/group.ts";

export const functions = group({
  name: "functions",
  about: "Makes a function, or shows those that the running stack serves. A deploy is: homebase deploy.",
  subcommands: {
    new: {
      summary: "create the file of a function",
      load: async () => (await import("./new.ts")).functionsNew,
    },
    serve: {
      summary: "show the functions that the running stack serves, and follow their log",
      load: async () => (await import("./serve.ts")).functionsServe,
    },
  },
  elsewhere: {
    delete: "",
    deploy: "With migrations and settings, and from what is committed: homebase deploy",
    download: "",
    list: "",
  },
  examples: ["homebase functions new hello", "homebase functions serve"],
});
